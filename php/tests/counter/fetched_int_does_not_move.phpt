--TEST--
larder: counter: an int that was fetched does not change when the counter does
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('n', 5); $n = VolatileCache::get('n'); VolatileCache::increment('n'); var_dump($n, VolatileCache::get('n'));
--EXPECT--
int(5)
int(6)
