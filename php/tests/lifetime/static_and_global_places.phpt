--TEST--
larder: lifetime: fetched values in statics, constants, defaults and closures
--EXTENSIONS--
larder
--INI--
larder.volatile_size=1M
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', ['a' => ['b' => str_repeat('x', 300)]]);
class S { public static $v; public array $typed = []; const C = 1; }
function keep($v = null) { static $kept; if ($v !== null) $kept = $v; return $kept; }
S::$v = VolatileCache::get('k'); keep(VolatileCache::get('k')); define('KEPT', VolatileCache::get('k')); $GLOBALS['g'] = VolatileCache::get('k');
$o = new S; $o->typed = VolatileCache::get('k'); $f = fn() => S::$v; $clone = clone $o; $gen = (function () { $v = yield; yield $v; })(); $gen->current(); $sent = $gen->send(VolatileCache::get('k'));
VolatileCache::delete('k'); VolatileCache::clear(); for ($i = 0; $i < 2000; $i++) VolatileCache::set("f$i", ['a' => ['b' => str_repeat('y', 300)]]);
$x = ['a' => ['b' => str_repeat('x', 300)]];
var_dump(S::$v === $x, keep() === $x, KEPT === $x, $g === $x, $o->typed === $x, $f() === $x, $clone->typed === $x, $sent === $x);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
