--TEST--
larder: object: weak references and weak maps to what was fetched
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Node { public $next; }
$n = new Node; $n->next = new Node; $n->next->next = $n;
VolatileCache::set('k', $n); VolatileCache::set('tree', [new Node, 'b' => [new Node]]);
$got = VolatileCache::get('k');
$weak = WeakReference::create($got->next); $map = new WeakMap; $map[$got] = 'root'; $map[$got->next] = $got;
var_dump($weak->get() === $got->next, count($map));
unset($got, $map);
gc_collect_cycles();
var_dump($weak->get());
for ($i = 0; $i < 1000; $i++) { $got = VolatileCache::get('tree'); $map ??= new WeakMap; $map[$got[0]] = $i; $map[$got['b'][0]] = WeakReference::create($got[0]); }
var_dump(count($map), $map[$got['b'][0]]->get() === $got[0]);
unset($got);
var_dump(count($map));
unset($n, $map);
gc_collect_cycles();
--EXPECT--
bool(true)
int(2)
NULL
int(2)
bool(true)
int(0)
