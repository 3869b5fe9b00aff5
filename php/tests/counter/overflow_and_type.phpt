--TEST--
larder: counter: overflow and other types give false and change nothing
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('max', PHP_INT_MAX); VolatileCache::set('min', PHP_INT_MIN);
var_dump(VolatileCache::increment('max'), VolatileCache::get('max') === PHP_INT_MAX, VolatileCache::decrement('min'), VolatileCache::get('min') === PHP_INT_MIN, VolatileCache::increment('min', PHP_INT_MAX));
foreach (['1', 1.0, null, [1], true] as $v) { VolatileCache::set('k', $v); var_dump(VolatileCache::increment('k'), VolatileCache::get('k') === $v); }
try { VolatileCache::decrement('k', PHP_INT_MIN); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
bool(false)
bool(true)
bool(false)
bool(true)
int(-1)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
Larder\VolatileCache::decrement(): Argument #2 ($step) must be greater than -9223372036854775808
