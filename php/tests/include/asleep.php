<?php
/* Waits until a process sleeps, for at most a minute. The process must not sleep before the expected point. */
function asleep(int $pid): void
{
    for ($looks = 0, $end = hrtime(true) + 60e9; $looks < 10 && hrtime(true) < $end; usleep(5000)) {
        $looks += (int) preg_match('/^\d+ \(.*\) S/s', (string) @file_get_contents("/proc/$pid/stat"));
    }
}
