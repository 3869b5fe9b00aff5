<?php

declare(strict_types=1);

namespace Demo;

use Servers\Wrk;

/** The results of wrk in one run. */
final class Load
{
    public const CONNECTIONS = 8;

    private function __construct(
        public readonly int $right,
        public readonly int $wrong,
        /** Answers that were lost because a worker was killed: a 502, or a broken connection. */
        public readonly int $lost,
        /** Refused connections and late answers. A killed worker does not cause them, so each one is a fault. */
        public readonly int $failed,
        public readonly float $perSecond,
        /** Milliseconds. */
        public readonly float $median,
        public readonly float $p99,
        public readonly string $firstWrong,
    ) {
    }

    /** Runs wrk for $seconds seconds; calls $meanwhile about every 10 ms. */
    public static function run(string $url, string $mode, string $answers, int $seconds, ?callable $meanwhile = null): self
    {
        $n = self::CONNECTIONS;
        $value = Wrk::run($url, __DIR__ . '/load.lua', [$mode, $answers], $seconds, $n, $n, $meanwhile);
        return new self(
            (int) $value['right'],
            (int) $value['wrong'],
            (int) $value['gone'] + (int) $value['broken'],
            (int) $value['refused'] + (int) $value['late'],
            (int) $value['right'] / ((float) $value['microseconds'] / 1e6),
            (float) $value['median'] / 1e3,
            (float) $value['p99'] / 1e3,
            $value['first_wrong'],
        );
    }
}
