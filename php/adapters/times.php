<?php
/* Times to live in tests that may run on any machine, however busy. */

/* Save with a time to live, look at once, and look until what is there is what should be left. The first look counts
 * only if it was over before the time was: else again, with more time. $left: what stays.
 * $save: fn (int $seconds); $look: fn (): array. Returns what was seen first, and last. */
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
