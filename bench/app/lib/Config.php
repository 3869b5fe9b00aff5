<?php

declare(strict_types=1);

namespace Bench;

final readonly class Config
{
    /** @param array<string, Setting> $settings */
    public function __construct(public string $environment, public array $settings)
    {
    }
}
