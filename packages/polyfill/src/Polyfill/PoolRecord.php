<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** The record that all entries of a pool share. */
final class PoolRecord
{
    public int $hits = 0;
    public int $misses = 0;
    public int $stores = 0;

    /** @param float $ends when the pool ends by itself, a time of Store::now(); INF: never */
    public function __construct(public int $generation, public float $ends) {}
}
