<?php
/* Tests of times to live that also pass on a busy machine. */

/* Calls $save with a time to live, then $look, which returns the entries. If $look returns only after the time to live, calls both again
 * with twice the time. Then calls $look until it returns $left, the entries that do not expire. $save: fn (int $seconds); $look: fn (): array.
 * Returns the results of the first and of the last call of $look. */
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
