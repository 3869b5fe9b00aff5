<?php
/* Hold as many bytes of a cache as a request may, so that all that is fetched after this is a private copy. Returns what is held:
 * keep it. Random bytes are never packed. */
function hold_all_that_a_request_may(string $cache = Larder\VolatileCache::class): array
{
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
