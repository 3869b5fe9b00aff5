--TEST--
larder: cache: has and delete say whether there was an entry
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

foreach ([VolatileCache::class, PinnedCache::class] as $c) {
    $c::set('k', null);
    var_dump($c::has('k'), $c::delete('k'), $c::has('k'), $c::delete('k'), $c::get('k', 'gone'));
}
--EXPECT--
bool(true)
bool(true)
bool(false)
bool(false)
string(4) "gone"
bool(true)
bool(true)
bool(false)
bool(false)
string(4) "gone"
