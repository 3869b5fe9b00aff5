<?php

declare(strict_types=1);

namespace Bench;

/**
 * Takes messages until a signal comes and the queue is empty. Then prints the number of messages ("@taken N"), how many of them came twice
 * ("@twice N") or were not pushed by the application ("@foreign N"), and the CPU time ("@nanoseconds N").
 *
 * A consumer may share a processor with the measured processes, so it checks messages only when the queue is empty. If it can take several
 * messages at once, it waits between two batches, because larger batches cost less CPU time per message. (Larder's consumers wait by
 * themselves, but only for 2 ms.)
 */
final class Consumer
{
    public const BATCH = 256; // maximum number of messages that are taken at once
    private const GATHER = 10_000; // microseconds to wait between two batches
    private const ASIDE = 1 << 16; // bytes of messages that are concatenated into one string

    /**
     * @param \Closure(): list<string> $take waits a little, and returns messages; the list is empty if none came, or if a signal ended the wait
     * @param bool $batches true if $take returns up to BATCH messages at once
     */
    public static function run(\Closure $take, bool $batches = false): void
    {
        $stop = false;
        $aside = [];
        $text = '';
        pcntl_async_signals(true);
        foreach ([SIGTERM, SIGINT] as $signal) {
            pcntl_signal($signal, function () use (&$stop): void {
                $stop = true;
            });
        }
        $begun = self::cpu();
        echo "ready\n";
        for (;;) {
            $messages = $take();
            if ($messages === []) {
                if ($stop) {
                    break;
                }
                continue;
            }
            $text .= implode("\n", $messages) . "\n";
            if (\strlen($text) > self::ASIDE) {
                $aside[] = $text;
                $text = '';
            }
            $batches && usleep(self::GATHER);
        }
        self::report([...$aside, $text], self::cpu() - $begun);
    }

    /** Returns the CPU time of this process in nanoseconds. */
    private static function cpu(): int
    {
        $usage = getrusage();
        return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000_000 + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1000;
    }

    /** @param list<string> $aside */
    private static function report(array $aside, int $nanoseconds): void
    {
        $seen = [];
        $taken = $foreign = 0;
        foreach ($aside as $text) {
            foreach ($text === '' ? [] : explode("\n", substr($text, 0, -1)) as $message) {
                preg_match('/^\d+-\d+$/', $message) === 1 || $foreign++;
                $seen[$message] = true;
                $taken++;
            }
        }
        printf("@taken %d\n@twice %d\n@foreign %d\n@nanoseconds %d\n", $taken, $taken - \count($seen), $foreign, $nanoseconds);
    }
}
