<?php

declare(strict_types=1);

namespace Servers;

/** Memory of processes, as the kernel counts it. */
final class Memory
{
    /**
     * Returns the sum of the proportional bytes (PSS) of some processes: a page that N processes share counts as 1/N in each.
     * @param iterable<int> $pids a process that has ended counts as 0
     */
    public static function proportional(iterable $pids): int
    {
        $bytes = 0;
        foreach ($pids as $pid) {
            preg_match('/^Pss:\s+(\d+)/m', (string) @file_get_contents("/proc/$pid/smaps_rollup"), $match);
            $bytes += (int) ($match[1] ?? 0) * 1024;
        }
        return $bytes;
    }
}
