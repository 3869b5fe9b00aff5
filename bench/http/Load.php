<?php

declare(strict_types=1);

namespace Bench\Http;

/** The results of load.lua in one run. */
final class Load
{
    public readonly int $right;
    public readonly int $wrong;
    /** Number of answers lost by a worker's death: a 502, or a broken connection. */
    public readonly int $lost;
    /** Number of refused connections and of answers that took too long. */
    public readonly int $failed;
    /** How often an answer repeated a number of an earlier answer. */
    public readonly int $twice;
    public readonly int $low;
    public readonly int $high;
    public readonly float $perSecond;
    /** Microseconds. */
    public readonly float $p50;
    public readonly float $p99;
    public readonly string $firstWrong;

    /** @param array<string, string> $value */
    public function __construct(array $value)
    {
        $this->right = (int) $value['right'];
        $this->wrong = (int) $value['wrong'];
        $this->lost = (int) $value['gone'] + (int) $value['broken'];
        $this->failed = (int) $value['refused'] + (int) $value['late'];
        $this->twice = (int) $value['twice'];
        $this->low = (int) $value['low'];
        $this->high = (int) $value['high'];
        $this->perSecond = $this->right / ((float) $value['microseconds'] / 1e6);
        $this->p50 = (float) $value['median'];
        $this->p99 = (float) $value['p99'];
        $this->firstWrong = $value['first_wrong'];
    }
}
