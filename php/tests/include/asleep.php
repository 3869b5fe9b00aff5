<?php
/* Waits for up to a minute until a process sleeps. Use it only if the process does not sleep earlier for another reason. */
function asleep(int $pid): void
{
    for ($looks = 0, $end = hrtime(true) + 60e9; $looks < 10 && hrtime(true) < $end; usleep(5000)) {
        $looks += (int) preg_match('/^\d+ \(.*\) S/s', (string) @file_get_contents("/proc/$pid/stat"));
    }
}
