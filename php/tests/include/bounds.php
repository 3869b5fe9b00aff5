<?php
/* Hold as many bytes of a cache as a request may, so that every later fetch is a private copy. Returns the held values: keep them.
 * Random bytes are never packed. Values that another process has held in this way are deleted first: the store has no room for both, and
 * would evict the values of the test. */
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
