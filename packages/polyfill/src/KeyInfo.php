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
    /** Seconds left; null: no limit. */
    public readonly ?float $ttl;
    /** Rises with each write of the key; 0 for an int. */
    public readonly int $version;
    /** "ready": read in place; "packed": decoded by each read. */
    public readonly string $form;
    /** Bytes that the value takes in its ready form; an estimate if the value is packed. */
    public readonly int $ready_size;

    private function __construct() {}
}
