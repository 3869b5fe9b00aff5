--TEST--
larder: array: arrays that contain themselves are stored and come back recursive
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$a = ['x' => 1]; $a['self'] = &$a;
var_dump(VolatileCache::set('k', $a));
$g = VolatileCache::get('k');
var_dump($g['self']['self']['x']);
$b = ['y' => 2]; $inner = ['up' => $b]; $b['down'] = &$inner; $inner['up'] = &$b;
var_dump(VolatileCache::set('k2', $b), VolatileCache::get('k2')['down']['up']['y']);
// This array contains itself through a PHP reference with one owner. PHP 8.4's serializer throws an Error for it, and so must set().
$v = ['n' => 5]; $x = &$v['x']; $x = ['u' => $v]; $x['u'] = $v; unset($x);
try {
    serialize($v);
    var_dump(VolatileCache::set('k3', $v), VolatileCache::get('k3')['n']);
} catch (Error $e) {
    try { VolatileCache::set('k3', $v); } catch (Error $own) { var_dump($own->getMessage() === $e->getMessage(), 5); }
}
unset($a, $g, $b, $inner, $v, $e, $own); gc_collect_cycles(); // free the cycles, which a leak check would report
--EXPECT--
bool(true)
int(1)
bool(true)
int(2)
bool(true)
int(5)
