<?php
/* Waits until a process sleeps, a minute at most. It must do nothing that sleeps before what it is to sleep in. */
function asleep(int $pid): void
{
    for ($looks = 0, $end = hrtime(true) + 60e9; $looks < 10 && hrtime(true) < $end; usleep(5000)) {
        $looks += (int) preg_match('/^\d+ \(.*\) S/s', (string) @file_get_contents("/proc/$pid/stat"));
    }
}
