--TEST--
larder: object: each operation on a fetched collection behaves as on one from unserialize()
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

error_reporting(E_ALL & ~E_DEPRECATED); // properties without a slot
class Loud { public function __construct(public $v = 0, public $link = null) { } public function __destruct() { echo "~{$this->v} "; } }
class Fixed extends SplFixedArray { public function count(): int { return 7; } public function offsetGet($i): mixed { return ['got', parent::offsetGet($i)]; } }
class Jobs extends SplQueue { public $name = 'jobs'; protected ?Jobs $next = null; private array $own = [1, 'two']; public int $typed; public function count(): int { return 7; } public function push(mixed $v): void { parent::push(['pushed', $v]); } public function next2(Jobs $next): static { $this->next = $next; return $this; } }
class Box extends ArrayObject { public $label = 'l'; public function offsetSet($k, $v): void { parent::offsetSet($k, ['set', $v]); } public function getIterator(): Iterator { echo 'iterator '; return parent::getIterator(); } public function __get($n) { return "got $n"; } }

/* Storable values, and operations on them. */
$o = new stdClass; $o->v = [1]; $ref = 5;
$contents = ['none' => [], 'one' => [1], 'ints' => [3, 1, 2], 'mixed' => ['text', 1.5, null, true, [1, [2, 'x']], [], $o, [$o], str_repeat('long ', 50)], 'same' => [$o, $o, $o]];
$all = [];
foreach ($contents as $name => $values) {
    foreach ([SplDoublyLinkedList::class, SplQueue::class, SplStack::class, Jobs::class] as $class) { $list = new $class; foreach ($values as $v) SplDoublyLinkedList::class === $class ? $list->push($v) : $list->unshift($v); $all["$class $name"] = $list; }
    foreach ([SplFixedArray::class, Fixed::class] as $class) { $fixed = new $class(count($values)); foreach ($values as $i => $v) $fixed[$i] = $v; $all["$class $name"] = $fixed; }
    foreach ([ArrayObject::class, ArrayIterator::class, Box::class] as $class) { $all["$class $name"] = new $class($values); $all["$class by name $name"] = new $class(array_combine(array_map(fn($i) => "k$i", array_keys($values)), $values)); }
}
foreach ([0, 1, 2, 3] as $mode) { $list = new SplDoublyLinkedList; foreach ([1, 'two', $o] as $v) $list[] = $v; $list->setIteratorMode($mode); $all["mode $mode"] = $list; }
$list = (new Jobs)->next2(new Jobs); $list->name = [$o]; $list[] = $list; $list[] = $o; $list->typed = 3; $all['slots'] = $list;
$list = new Jobs; unset($list->name); $list->name = &$ref; $list[] = 1; $all['reference in a slot'] = $list;
$list = new Jobs; $list->added = 'x'; $list[] = 1; $all['added'] = $list;
$list = new SplQueue; $list->__unserialize([4, [&$ref, &$ref, [1]], []]); $all['references'] = $list;
$list = new SplQueue; foreach ([1, 2, 3] as $v) $list[] = $v; $list->rewind(); $list->next(); $all['under way'] = $list;
$map = [1, 2, $o]; $all['shared arrays'] = [new ArrayObject($map), new ArrayIterator($map), $map, $map];
$box = new Box(['a' => 1]); ob_start(); foreach ($box as $v) { } ob_end_clean(); $all['iterated'] = $box;

$actions = [
    'push' => fn($x) => $x->push('new'), 'pop' => fn($x) => [$x->pop(), $x->pop()], 'shift' => fn($x) => [$x->shift(), $x->shift()], 'unshift' => fn($x) => $x->unshift('new'), 'drain' => function ($x) { while (!$x->isEmpty()) $x->pop(); $x[] = 1; $x[] = 2; return $x->shift(); },
    'set 0' => fn($x) => $x[0] = 'set', 'append' => fn($x) => $x[] = 'appended', 'unset 0' => function ($x) { unset($x[0]); }, 'unset 1' => function ($x) { unset($x[1]); }, 'unset name' => function ($x) { unset($x['k0']); }, 'deep' => fn($x) => $x[4][] = 'deep',
    'add' => function ($x) { $x->add(1, 'mid'); $x->add(0, 'low'); }, 'top' => fn($x) => [$x->top(), $x->bottom()], 'offsets' => fn($x) => [isset($x[0]), isset($x[99]), $x[0], $x->offsetExists(1)],
    'foreach' => function ($x) { $seen = []; foreach ($x as $k => $v) $seen[] = [$k, $v]; return $seen; }, 'nested foreach' => function ($x) { $n = 0; foreach ($x as $v) foreach ($x as $w) $n++; return $n; },
    'by hand' => function ($x) { $seen = []; for ($x->rewind(); $x->valid(); $x->next()) $seen[] = [$x->key(), $x->current()]; return $seen; }, 'drop while iterating' => function ($x) { $x->rewind(); $x->next(); $v = $x->current(); unset($x[1]); return [$v, $x->current(), count($x)]; },
    'grow while iterating' => function ($x) { $n = 0; foreach ($x as $v) if ($n++ < 3) $x[] = $n; return $n; }, 'shrink while iterating' => function ($x) { $seen = []; foreach ($x as $v) { $seen[] = $v; $x->pop(); } return $seen; },
    'delete mode' => function ($x) { $x->setIteratorMode(SplDoublyLinkedList::IT_MODE_DELETE | ($x instanceof SplStack ? 2 : 0)); $seen = []; foreach ($x as $v) $seen[] = $v; return [$seen, count($x), $x->getIteratorMode()]; }, 'lifo' => function ($x) { $x->setIteratorMode(SplDoublyLinkedList::IT_MODE_LIFO); $x->add(1, 'lifo'); return iterator_to_array($x, false); },
    'mode' => fn($x) => $x->getIteratorMode(), 'count' => fn($x) => [count($x), $x->count()], 'size' => fn($x) => [$x->getSize(), $x->toArray()], 'grow' => function ($x) { $x->setSize(20); $x[19] = 'last'; }, 'shrink' => fn($x) => $x->setSize(1), 'to none and back' => function ($x) { $x->setSize(0); $x->setSize(2); $x[1] = 1; },
    'sort' => function ($x) { $x->uasort(fn($a, $b) => strcmp(serialize($a), serialize($b))); $x->ksort(); }, 'exchange' => fn($x) => $x->exchangeArray(['ex' => 1]), 'copy' => fn($x) => $x->getArrayCopy(), 'flags' => fn($x) => [$x->setFlags(2), $x->k0 ?? null, $x->getFlags()], 'iterator class' => fn($x) => [$x->setIteratorClass(RecursiveArrayIterator::class), get_class($x->getIterator())],
    'seek' => fn($x) => [$x->seek(1), $x->current()], 'reference' => function ($x) { foreach ($x as &$v) $v = 'by reference'; }, 'walk' => fn($x) => array_walk($x, function (&$v) { $v = 'walked'; }), 'magic' => fn($x) => $x->magic, 'property' => function ($x) { $x->extra = 1; $x->name = 'other'; unset($x->label); }, 'cast' => fn($x) => (array) $x,
    'clone' => function ($x) { $c = clone $x; $c[0] = 'cloned'; $x[1] = 'original'; return $c; }, 'clone and drop' => function (&$x) { $c = clone $x; $x = null; $x = $c; foreach ($c as $v) { } }, 'export' => fn($x) => var_export($x, true), 'json' => fn($x) => json_encode($x), 'equal' => fn($x) => [$x == clone $x, $x == $x],
    'dump' => function ($x) { ob_start(); var_dump($x); print_r($x); debug_zval_refcount($x); return ob_get_clean(); }, 'debug' => fn($x) => $x->__debugInfo(), 'again' => fn($x) => unserialize(serialize($x)), 'store again' => fn($x) => VolatileCache::set('again', $x) ? VolatileCache::get('again') : null, 'collect' => fn($x) => gc_collect_cycles() >= 0,
    'unserialize twice' => fn($x) => $x->__unserialize($x->__serialize()),
];
function debug_zval_refcount($x) { echo is_object($x) ? count((array) $x) : 0; }
function act(callable $action, $x): string
{
    ob_start();
    try { $answer = serialize([$action($x)]); } catch (Throwable $e) { $answer = get_class($e) . ': ' . $e->getMessage(); unset($e); }
    $answer .= "\n" . serialize($x) . "\n";
    unset($x);
    return preg_replace('/#\d+/', '#', $answer . ob_get_clean());
}
$wrong = $done = 0;
foreach ($all as $name => $value) {
    VolatileCache::set('k', $value) || print "$name is not stored\n";
    $text = serialize($value);
    foreach ($actions as $what => $action) {
        if (!is_object($value) && !in_array($what, ['set 0', 'append', 'again', 'dump'])) continue;
        if ($name === 'references' && !in_array($what, ['push', 'unset 0', 'mode', 'again', 'store again'])) continue; // skip the other actions: in them, a built-in method would return a reference
        $wanted = act($action, unserialize($text));
        $got = act($action, VolatileCache::get('k'));
        $done++;
        if ($wanted !== $got && $wrong++ < 5) echo "$name: $what\n--- wanted\n$wanted\n--- got\n$got\n";
    }
    if (serialize($value) !== $text || serialize(VolatileCache::get('k')) !== serialize(unserialize($text))) echo "$name changed\n";
}
echo $done > 2500 ? 'many' : $done, " compared, $wrong wrong\n";

echo "destructors:";
foreach ([SplQueue::class, SplStack::class, SplFixedArray::class, ArrayObject::class] as $class) {
    $x = new $class(...($class === SplFixedArray::class ? [4] : [])); foreach ([1, new Loud('a'), 2, new Loud('b')] as $i => $v) $class === SplFixedArray::class ? $x[$i] = $v : $x[] = $v;
    $text = serialize($x); VolatileCache::set('k', $x);
    ob_start(); unset($x, $v); ob_end_clean();
    $run = function (callable $make) { ob_start(); $x = $make(); unset($x[1]); echo '/ '; $x = null; echo '/ '; return ob_get_clean(); };
    $wanted = $run(fn() => unserialize($text)); $got = $run(fn() => VolatileCache::get('k'));
    echo " $class ", $wanted === $got ? 'same' : "wanted $wanted got $got";
}
echo "\ncycles:";
foreach ([SplQueue::class, SplFixedArray::class, ArrayObject::class] as $class) {
    $x = new $class(...($class === SplFixedArray::class ? [3] : [])); foreach ([1, new Loud($class), 0] as $i => $v) $class === SplFixedArray::class ? $x[$i] = $v : $x[] = $v;
    $x[1]->link = [$x]; $x[2] = $x; VolatileCache::set('k', $x);
    ob_start(); unset($x, $v); gc_collect_cycles(); ob_end_clean();
    $x = VolatileCache::get('k'); var_dump($x[2] === $x && $x[1]->link[0] === $x); unset($x); gc_collect_cycles();
}
echo "memory:";
$q = new SplQueue; foreach ([1, 'two', [3], str_repeat('4', 100), new Loud] as $v) $q[] = $v; $f = SplFixedArray::fromArray([1, 'two', [3]]); $a = new ArrayObject([1, 'two', 'k' => [3]]);
VolatileCache::set('k', [$q, $f, $a]); VolatileCache::set('list', array_fill(0, 5, $a->getArrayCopy()));
$change = function (int $n) { ob_start(); for ($i = 0; $i < $n; $i++) { [$q, $f, $a] = VolatileCache::get('k'); $q->pop(); $q[] = [$i]; unset($q[1]); $q->rewind(); $c = clone $q; $q->shift(); $f[1] = [$i]; $f->setSize(5); $a[] = $c; unset($a[0]); $a = clone $a; foreach ($a as $v) { } } unset($q, $f, $a, $c, $v); ob_end_clean(); gc_collect_cycles(); return memory_get_usage(); };
$change(100); $before = $change(100); var_dump($change(20000) - $before);
unset($q, $f, $a, $v); ob_start(); gc_collect_cycles(); ob_end_clean();
echo "while the list goes: ";
$q = new SplQueue; foreach ([1, 2, 3] as $v) $q[] = $v; VolatileCache::set('k', $q);
$generate = function () { foreach (VolatileCache::get('k') as $v) yield $v; };
foreach ($generate() as $v) { echo $v, ' '; if ($v === 2) break; }
$i = new IteratorIterator(VolatileCache::get('k')); $i->rewind(); $i->next(); echo $i->current(), ' '; unset($i);
$walked = VolatileCache::get('k'); $walked->rewind(); $walked->next(); unset($walked[1]); $walked = null;
echo "\nat the end: ";
$left = VolatileCache::get('k'); $left[] = new Loud('left'); $left->rewind();
--EXPECT--
many compared, 0 wrong
destructors: SplQueue same SplStack same SplFixedArray same ArrayObject same
cycles:bool(true)
~SplQueue bool(true)
~SplFixedArray bool(true)
~ArrayObject memory:int(0)
~0 while the list goes: 1 2 2 
at the end: ~left
