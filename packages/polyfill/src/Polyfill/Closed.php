<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/** Makes objects like the extension's: they cannot be cloned or serialized, and accept no other properties. */
trait Closed
{
    public function __clone()
    {
        throw new \Error('Trying to clone an uncloneable object of class ' . self::class);
    }

    /** @return array<never> */
    public function __serialize(): array
    {
        throw new \Exception("Serialization of '" . self::class . "' is not allowed");
    }

    /** @param array<mixed> $data */
    public function __unserialize(array $data): void
    {
        throw new \Exception("Unserialization of '" . self::class . "' is not allowed");
    }

    public function __set(string $name, mixed $value): void
    {
        throw new \Error('Cannot create dynamic property ' . self::class . "::\$$name");
    }
}
