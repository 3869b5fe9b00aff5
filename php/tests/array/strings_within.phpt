--TEST--
larder: array: strings within arrays: equal ones, empty ones, single characters, binary
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$long = str_repeat('abc', 5000);
$value = ['' => '', 'a' => 'a', 'k' => [$long, $long, 'x' => $long], "\0\xff" => "\xff\0", 'dup' => 'a', strtolower('DUP2') => implode('', ['a'])];
VolatileCache::set('k', $value);
$got = VolatileCache::get('k');
var_dump($got === $value, isset($got['k']['x']), $got[implode('', ['', ''])] === '', VolatileCache::keyInfo('k')->size < 17000);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
