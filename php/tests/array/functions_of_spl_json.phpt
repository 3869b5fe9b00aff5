--TEST--
larder: array: SPL, JSON and Reflection over fetched arrays
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

mt_srand(5);
function differs($f, $make, $fetch) {
    $outcome = function ($get) use ($f) {
        mt_srand(7); $a = $get();
        try { $r = $f($a); } catch (Throwable $e) { $r = get_class($e) . $e->getMessage(); }
        return serialize([$r, $a]);
    };
    return $outcome($make) !== $outcome($fetch);
}

$make = fn() => ['b' => 1, 'a' => [1, 2, ['x' => 'y']], 'c' => 'text', 7 => 2.5];
VolatileCache::set('k', $make());
$functions = [
    'ArrayObject' => function ($a) { $o = new ArrayObject($a); $o['n'] = 1; unset($o['b']); $o->ksort(SORT_STRING); $o->append(5); return $o->getArrayCopy(); },
    'ArrayIterator' => function ($a) { $i = new ArrayIterator($a); $i->uasort(fn($x, $y) => strcmp(gettype($x), gettype($y))); $i->offsetUnset('c'); return iterator_to_array($i); },
    'Recursive' => fn($a) => iterator_to_array(new RecursiveIteratorIterator(new RecursiveArrayIterator($a)), false),
    'exchange' => function ($a) { $o = new ArrayObject; $old = $o->exchangeArray($a); $o->offsetSet('q', 1); return [$old, count($o)]; },
    'Fixed' => function ($a) { $f = SplFixedArray::fromArray(array_values($a)); $f[0] = 'w'; $f->setSize(2); return $f->toArray(); },
    'Heap' => function ($a) { $h = new SplMinHeap; foreach (array_keys($a) as $k) $h->insert((string) $k); return iterator_to_array($h, false); },
    'Stack' => function ($a) { $s = new SplDoublyLinkedList; foreach ($a as $v) $s->push($v); return serialize($s); },
    'Queue' => function ($a) { $q = new SplPriorityQueue; foreach ($a as $k => $v) $q->insert($v, strlen((string) $k)); return count($q); },
    'Limit' => fn($a) => iterator_to_array(new LimitIterator(new ArrayIterator($a), 1, 2)),
    'Caching' => fn($a) => (string) (new CachingIterator(new ArrayIterator(['k' => 'v'] + array_filter($a, 'is_string'))))->hasNext(),
    'Callback' => fn($a) => iterator_to_array(new CallbackFilterIterator(new ArrayIterator($a), fn($v) => !is_array($v))),
    'apply' => fn($a) => iterator_apply($i = new ArrayIterator($a), fn() => true),
    'json' => fn($a) => json_encode($a), 'json_objects' => fn($a) => json_encode($a, JSON_FORCE_OBJECT | JSON_PRESERVE_ZERO_FRACTION),
    'object' => function ($a) { $o = (object) $a; $o->c = 'changed'; $o->{'a'}[] = 'more'; return $o; },
    'static' => function ($a) { static $s; $s = $a; $s['a'][2]['x'] = 'z'; return $s; },
    'property' => function ($a) { $o = new class { public array $p = []; }; $o->p = $a; $o->p['a'][] = 3; $o->p['b']++; return $o->p; },
    'typed ref' => function ($a) { $o = new class { public array $p = []; }; $o->p = $a; $r = &$o->p; $r['n'] = 1; return $o->p; },
    'closure' => function ($a) { $f = function () use ($a) { $a['c'] = 1; return $a; }; return [$f(), $a]; },
    'define' => function ($a) { static $n = 0; define('LARDER_TEST_' . ++$n, $a); return constant("LARDER_TEST_$n")['a'][1]; },
    'default' => fn($a) => (new ReflectionFunction(fn(array $x = []) => 1))->invoke($a),
    'weakmap' => function ($a) { $w = new WeakMap; $k = new stdClass; $w[$k] = $a; $w[$k]['c'] = 0; return $w[$k]['c']; },
    'storage' => function ($a) { $s = new SplObjectStorage; $k = new stdClass; $s[$k] = $a; return $s[$k]; },
    'gc' => function ($a) { $o = new stdClass; $o->o = $o; $o->a = $a; unset($o); return gc_collect_cycles() >= 0; },
    'export' => fn($a) => eval('return ' . var_export($a, true) . ';'), 'unserialize' => fn($a) => unserialize(serialize($a)),
];
$before = serialize(VolatileCache::get('k')); $failed = 0;
foreach ($functions as $n => $f) {
    if (differs($f, $make, fn() => VolatileCache::get('k'))) { echo "$n differs\n"; $failed++; }
    if (serialize(VolatileCache::get('k')) !== $before) { echo "$n changed the cache\n"; $failed++; }
}
echo count($functions), " compared, $failed differ\n";
--EXPECT--
26 compared, 0 differ
