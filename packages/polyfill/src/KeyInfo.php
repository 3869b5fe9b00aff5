<?php

declare(strict_types=1);

namespace Larder;

/**
 * Facts about an entry.
 * @strict-properties
 */
final class KeyInfo
{
    public readonly string $key;
    public readonly CacheStoreType $store_type;
    /** Bytes of the value. */
    public readonly int $size;
    /** Seconds until the entry expires, or null if it does not expire. */
    public readonly ?float $ttl;
    /** A number that rises with each write of the key, or 0 if the value is an int. */
    public readonly int $version;
    /** Always "ready" in the polyfill, which does not compress values. */
    public readonly string $form;
    /** In the polyfill, equal to $size. */
    public readonly int $ready_size;

    private function __construct() {}
}
