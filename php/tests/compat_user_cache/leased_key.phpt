--TEST--
larder: compat_user_cache: increment() of a key that a pool has leased starts at 0 and ends the lease
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--FILE--
<?php
use Larder\VolatileCache;

$pool = VolatileCache::pool('cached');
$pool->begin(60);
$lease = $pool->lease('k');
$cache = UserCache\Cache::getPool('cached');
var_dump($cache->increment('k'), $cache->increment('k'), $cache->decrement('k', 5), $pool->fill('k', 'old', $lease));
$cache->store('text', 'x');
try { $cache->increment('text'); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
int(1)
int(2)
int(-3)
bool(false)
The entry "text" is not an int
