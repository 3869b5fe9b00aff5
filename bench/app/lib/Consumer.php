<?php

declare(strict_types=1);

namespace Bench;

/** Takes messages until a signal, and prints how many there were: "@taken N", "@twice N", "@foreign N". */
final class Consumer
{
    /** @param \Closure(): ?string $take waits a little; null: nothing came, or a signal */
    public static function run(\Closure $take): void
    {
        $stop = false;
        $seen = [];
        $twice = $foreign = 0;
        pcntl_async_signals(true);
        foreach ([SIGTERM, SIGINT] as $signal) {
            pcntl_signal($signal, function () use (&$stop): void {
                $stop = true;
            });
        }
        echo "ready\n";
        for (;;) {
            $message = $take();
            if ($message === null) {
                if ($stop) {
                    break; // nothing is left
                }
                continue;
            }
            preg_match('/^\d+-\d+$/', $message) === 1 || $foreign++;
            isset($seen[$message]) ? $twice++ : $seen[$message] = true;
        }
        printf("@taken %d\n@twice %d\n@foreign %d\n", count($seen) + $twice, $twice, $foreign);
    }
}
