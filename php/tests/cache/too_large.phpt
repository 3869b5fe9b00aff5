--TEST--
larder: cache: a value larger than half of the store is refused with a warning that names the directive
--EXTENSIONS--
larder
--INI--
larder.volatile_size=4M
larder.pinned_size=4M
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

VolatileCache::set('k', 'old');
var_dump(VolatileCache::set('k', str_repeat('x', 3 << 20)), VolatileCache::get('k'));
var_dump(VolatileCache::set('k', array_fill(0, 200000, 1.5)), VolatileCache::get('k'));
var_dump(PinnedCache::setMultiple(['a' => 1, 'k' => str_repeat('x', 3 << 20)]), PinnedCache::get('a'));
--EXPECTF--
Warning: Larder\VolatileCache::set(): The value is larger than half of the store; raise larder.volatile_size in %s on line %d
bool(false)
string(3) "old"

Warning: Larder\VolatileCache::set(): The value is larger than half of the store; raise larder.volatile_size in %s on line %d
bool(false)
string(3) "old"

Warning: Larder\PinnedCache::setMultiple(): A value is larger than half of the store; raise larder.pinned_size in %s on line %d
bool(false)
int(1)
