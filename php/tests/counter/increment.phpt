--TEST--
larder: counter: increment and decrement make, add and return
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

foreach ([VolatileCache::class, PinnedCache::class] as $c) {
    var_dump($c::increment('n'), $c::increment('n', 5), $c::decrement('n', 2), $c::get('n'), $c::decrement('m'), $c::increment('z', 0), $c::increment('neg', -7));
    $c::set('n', 100);
    var_dump($c::increment('n'), $c::getCacheStoreType('n')->name);
}
--EXPECT--
int(1)
int(6)
int(4)
int(4)
int(-1)
int(0)
int(-7)
int(101)
string(6) "Scalar"
int(1)
int(6)
int(4)
int(4)
int(-1)
int(0)
int(-7)
int(101)
string(6) "Scalar"
