--TEST--
larder: object: added properties do not overwrite what the slots hold
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

#[AllowDynamicProperties] class P { public $t; public $s; }
$o = new P;
$o->t = ['a' . mt_rand() => 1, 'b' => 2];
$o->s = str_repeat('s', mt_rand(70, 80));
$o->dynamic = ['c' => str_repeat('d', mt_rand(70, 80))];
VolatileCache::set('k', $o);
$got = VolatileCache::get('k');
var_dump($got == $o, isset($got->t[implode('', ['b'])]), $got->s === $o->s, $got->dynamic === $o->dynamic, isset([$got->s => 1][$o->s]));
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
