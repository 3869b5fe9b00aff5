<?php
/* Tests of times to live that also pass on a busy machine. */

/* Saves entries with a time to live, and looks at them at once. If this first look ends too late, does both again with a longer time. Then
 * looks repeatedly until only the entries $left remain. $save: fn (int $seconds); $look: fn (): array. Returns the results of the first and
 * the last look. */
function seen_through_time(callable $save, callable $look, array $left): array
{
    for ($seconds = 1; ; $seconds *= 2) {
        $start = hrtime(true);
        $save($seconds);
        $first = $look();
        $took = (hrtime(true) - $start) / 1e9;
        if ($took < $seconds || $seconds > 100) {
            break;
        }
    }
    for ($end = hrtime(true) + ($seconds + 60) * 1e9; ($last = $look()) !== $left && hrtime(true) < $end;) {
        usleep(100000);
    }
    return [$first, $last];
}
