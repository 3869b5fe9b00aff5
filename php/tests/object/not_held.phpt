--TEST--
larder: object: enums and constants are found where the value may not be held, and remember() computes once
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
use Larder\VolatileCache;

define('AT_RUN_TIME', mt_rand());
enum Unit { case A; case B; }
class Constant { public $x = AT_RUN_TIME; }
class WithDefault { public Unit $u = Unit::A; public $y = [1, 'two']; }
VolatileCache::set('constant', new Constant);
VolatileCache::set('default', new WithDefault);
VolatileCache::set('unit', [Unit::A, Unit::B]);
$hold = hold_all_that_a_request_may();
var_dump(VolatileCache::get('constant') == new Constant, VolatileCache::get('default') == new WithDefault, VolatileCache::get('unit') === [Unit::A, Unit::B]);
$n = 0;
for ($i = 0; $i < 5; $i++) VolatileCache::remember('r', function () use (&$n) { $n++; return [Unit::B]; });
var_dump($n);
/* An array is copied once, even if several objects share it. */
$map = range(1, 1000);
$map['x'] = str_repeat('y', 100);
$objects = [];
for ($i = 0; $i < 2000; $i++) { $o = new stdClass; $o->map = $map; $objects[] = $o; }
VolatileCache::set('shared', $objects);
unset($objects, $o);
$before = memory_get_usage();
$got = VolatileCache::get('shared');
var_dump(count($got), $got[1999]->map === $map, memory_get_usage() - $before < 2000 * 1000);
--EXPECT--
bool(true)
bool(true)
bool(true)
int(1)
int(2000)
bool(true)
bool(true)
