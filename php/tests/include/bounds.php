<?php
/* Hold as many bytes of a cache as a request may, so that every later fetch is a private copy. Returns the held values: keep them.
 * Random bytes are never packed. Values that another process held for this go first: both at once do not fit, and the values of
 * the test would be evicted. */
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
