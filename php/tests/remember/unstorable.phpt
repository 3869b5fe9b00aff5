--TEST--
larder: remember: a value that cannot be stored is a TypeError, and the key is free again
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

try { VolatileCache::remember('k', fn() => ['f' => fopen('php://memory', 'r')]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
var_dump(VolatileCache::has('k'), VolatileCache::lock('k'));
--EXPECT--
Larder\VolatileCache::remember(): The value that $compute returned must not contain a resource, found at $value['f']
bool(false)
bool(true)
