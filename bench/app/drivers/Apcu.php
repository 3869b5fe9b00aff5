<?php

declare(strict_types=1);

namespace Bench\Driver;

use Bench\Driver;
use Bench\Unavailable;
use RuntimeException;

/** APCu with igbinary, its fastest serializer for objects and nested arrays. */
final class Apcu implements Driver
{
    public const SETTINGS = [
        'extension=igbinary', 'extension=apcu', 'apc.enabled=1', 'apc.enable_cli=1', 'apc.shm_size=128M',
        'apc.serializer=igbinary',
    ];

    public function __construct()
    {
        function_exists('apcu_enabled') || throw new Unavailable("PHP's extension apcu is not loaded; Debian: php-apcu");
        apcu_enabled() || throw new Unavailable('APCu is off: apc.enabled, and apc.enable_cli for the command line');
    }

    public function increment(string $key): int
    {
        $sum = apcu_inc($key);
        return is_int($sum) ? $sum : throw new RuntimeException("APCu: $key was not incremented");
    }

    public function store(string $key, mixed $value): void
    {
        apcu_store($key, $value) || throw new RuntimeException("APCu: $key was not stored");
    }

    public function fetch(string $key): mixed
    {
        $value = apcu_fetch($key, $found);
        return $found ? $value : null;
    }
}
