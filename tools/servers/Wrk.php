<?php

declare(strict_types=1);

namespace Servers;

use RuntimeException;

/** Runs wrk with a script whose done() prints figures, each as a line "@NAME<tab>VALUE". */
final class Wrk
{
    /**
     * Calls $meanwhile about every 10 ms.
     * @param list<string> $arguments for the script
     * @return array<string, string>
     */
    public static function run(
        string $url,
        string $script,
        array $arguments,
        int $seconds,
        int $connections,
        int $threads,
        ?callable $meanwhile = null,
        ?int $core = null,
    ): array {
        $options = ['-t', (string) $threads, '-c', (string) $connections, '-d', "{$seconds}s", '--timeout', '10s', '-s', $script];
        $child = Child::start([Programs::path('wrk'), ...$options, $url, '--', ...$arguments], STDERR, $core);
        $text = '';
        $deadline = microtime(true) + $seconds + 15;
        while (!feof($child->output)) {
            $text .= $child->read(10);
            if ($meanwhile !== null) {
                $meanwhile();
            }
            if (microtime(true) > $deadline) {
                $child->stop();
                throw new RuntimeException('wrk does not end');
            }
        }
        if ($child->wait() !== 0 || preg_match_all('/^@(\w+)\t(.*)$/m', $text, $found) === 0) {
            throw new RuntimeException("wrk failed: $text");
        }
        return array_combine($found[1], $found[2]);
    }
}
