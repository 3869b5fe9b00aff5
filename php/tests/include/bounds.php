<?php
/* Holds as many bytes of a cache as a request may hold, so that each later fetch makes a private copy. Returns the held values, which the
 * caller must keep. The values are random bytes, because random bytes are never packed.
 * First deletes the values that an earlier process has stored here. Otherwise the store could evict the test's values. */
function hold_all_that_a_request_may(string $cache = Larder\VolatileCache::class): array
{
    for ($n = 0; $cache::delete("held to the bound $n"); $n++);
    $held = [];
    for ($size = $cache::info()->configured_memory >> 6; $size >= 256; $size >>= 1) {
        do {
            $key = 'held to the bound ' . count($held);
            $cache::set($key, $size >= 512 ? random_bytes($size) : [random_bytes(100)]);
            $copies = $cache::info()->copies;
            $held[] = $cache::get($key);
        } while ($cache::info()->copies === $copies && count($held) < 1000);
    }
    return $held;
}
