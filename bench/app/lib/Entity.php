<?php

declare(strict_types=1);

namespace Bench;

final class Entity
{
    public function __construct(
        public int $id,
        public string $name,
        public float $price,
        public bool $active,
        public string $text,
    ) {
    }
}
