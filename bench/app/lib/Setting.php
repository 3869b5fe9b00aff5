<?php

declare(strict_types=1);

namespace Bench;

final readonly class Setting
{
    /** @param array<string, int> $range */
    public function __construct(
        public string $name,
        public int|string $value,
        public array $range,
        public ?Setting $parent,
    ) {
    }
}
