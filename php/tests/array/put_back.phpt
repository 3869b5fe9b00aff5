--TEST--
larder: array: a value that was fetched is put back under its key without a copy
--EXTENSIONS--
larder
--INI--
larder.pinned_size=1M
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

/* The store has no room for two copies of the array. */
PinnedCache::set('other', str_repeat('o', 100000));
$wanted = [str_repeat('a', 400000), str_repeat('b', 90000)];
var_dump(PinnedCache::set('array', $wanted));
$got = PinnedCache::get('array');
for ($i = 0; $i < 1000; $i++) $good = PinnedCache::set('array', $got);
var_dump($good, PinnedCache::get('array') === $wanted, PinnedCache::set('array', [$got]), PinnedCache::get('array') === $wanted);
$value = ['list' => range(1, 50000), 'text' => str_repeat('x', 1000)];
VolatileCache::set('array', $value);
/* A set() of a fetched array also sets the time to live. */
$got = VolatileCache::get('array');
VolatileCache::set('array', $got, 0.05);
usleep(100000);
var_dump(VolatileCache::has('array'), VolatileCache::set('array', $got), VolatileCache::get('array') === $value);
VolatileCache::set('other', $got);
VolatileCache::delete('array');
var_dump(VolatileCache::get('other') === $value);
$got['new'] = 1;
VolatileCache::set('other', $got);
var_dump(VolatileCache::get('other') === $value + ['new' => 1], VolatileCache::add('other', VolatileCache::get('other')));
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
