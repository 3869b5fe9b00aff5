--TEST--
larder: lock: lock reserves once, unlock frees, entries are not affected
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

foreach ([VolatileCache::class, PinnedCache::class] as $c) {
    var_dump($c::lock('k'), $c::lock('k'), $c::lock('other'), $c::has('k'), $c::set('k', 1), $c::unlock('k'), $c::unlock('k'), $c::lock('k'), $c::unlock('k'), $c::unlock('never'));
}
--EXPECT--
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
bool(true)
bool(false)
