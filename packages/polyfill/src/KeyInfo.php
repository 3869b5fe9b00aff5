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
    /** Seconds until the entry expires; null: it does not expire. */
    public readonly ?float $ttl;
    /** A number that rises with each write of the key; 0 for an int. */
    public readonly int $version;
    /** "ready": read in place. "packed": compressed, so each read decodes it. */
    public readonly string $form;
    /** Bytes of the value when it is not packed. An estimate if it is packed. */
    public readonly int $ready_size;

    private function __construct() {}
}
