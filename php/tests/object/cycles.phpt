--TEST--
larder: object: cycles of objects, arrays and references come back, and are collected
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Node { public $next; public array $links = []; public static int $ended = 0; function __destruct() { self::$ended++; } }
$self = new Node; $self->next = $self;
$a = new Node; $b = new Node; $a->next = $b; $b->next = $a; $a->links = ['b' => $b, 'all' => [$a, $b]];
$r = new Node; $r->next = [1]; $r->next['me'] = &$r->next;
$s = new SplObjectStorage; $s[$s] = $a;
VolatileCache::set('self', $self); VolatileCache::set('pair', $a); VolatileCache::set('reference', $r); VolatileCache::set('storage', $s);
$self = VolatileCache::get('self');
var_dump($self->next === $self);
$a = VolatileCache::get('pair');
var_dump($a->next->next === $a, $a->links['b'] === $a->next, $a->links['all'][0] === $a, $a !== $b);
$r = VolatileCache::get('reference');
var_dump(VolatileCache::getCacheStoreType('reference')->name, $r->next['me']['me']['me'][0]);
$s = VolatileCache::get('storage');
var_dump($s->offsetExists($s), $s[$s]->next->next === $s[$s]);
unset($self, $a, $b, $r, $s);
gc_collect_cycles();
Node::$ended = 0;
for ($i = 0; $i < 10; $i++) VolatileCache::get('pair');
var_dump(Node::$ended, gc_collect_cycles() > 0, Node::$ended);
$before = memory_get_usage();
for ($i = 0; $i < 1000; $i++) { VolatileCache::get('pair'); VolatileCache::get('self'); VolatileCache::get('reference'); if ($i % 100 === 0) gc_collect_cycles(); }
gc_collect_cycles();
var_dump(memory_get_usage() - $before < 500);
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
string(11) "SharedGraph"
int(1)
bool(true)
bool(true)
int(0)
bool(true)
int(20)
bool(true)
