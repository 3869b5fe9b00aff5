--TEST--
larder: remember: remember computes once and stores
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

$calls = 0;
$f = function () use (&$calls) { $calls++; return ['n' => $calls]; };
var_dump(VolatileCache::remember('k', $f)['n'], VolatileCache::remember('k', $f)['n'], PinnedCache::remember('k', $f)['n'], PinnedCache::remember('k', $f)['n'], $calls);
var_dump(VolatileCache::remember('null', fn() => null), VolatileCache::remember('null', fn() => 'again'), VolatileCache::remember('s', 'phpversion') === PHP_VERSION, VolatileCache::has('s'));
--EXPECT--
int(1)
int(1)
int(2)
int(2)
int(2)
NULL
NULL
bool(true)
bool(true)
