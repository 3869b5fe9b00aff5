--TEST--
larder: errors: heaps that PHP's serializer would empty are refused with their path
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--SKIPIF--
<?php if (method_exists(SplHeap::class, '__unserialize')) die('skip the serializer of this PHP does not empty heaps'); ?>
--FILE--
<?php
use Larder\VolatileCache;

class State { static $ran = 0; function __construct(public $x = null) {} function __serialize(): array { self::$ran++; return ['f' => [1, $this->x]]; } function __unserialize(array $d): void { $this->x = $d['f'][1]; } }
class Old implements Serializable { function serialize() { return 'old'; } function unserialize($s) {} }
function heap(string $class = 'SplMinHeap', ...$with): SplHeap|SplPriorityQueue { $h = new $class; foreach ($with ?: [3, 1, 2] as $x) $h instanceof SplPriorityQueue ? $h->insert($x, 1) : $h->insert($x); return $h; }
class MyHeap extends SplMaxHeap { public $p; }
function set(string $name, mixed $value): void
{
    State::$ran = 0;
    VolatileCache::set('k', 'old');
    try { $r = var_export(VolatileCache::set('k', $value), true); echo "$name: $r ", VolatileCache::getCacheStoreType('k')->name; } catch (Throwable $e) { echo "$name: ", get_class($e), ' ', strstr($e->getMessage(), 'must'), VolatileCache::get('k') === 'old' ? '' : ' (stored)'; }
    echo ', asked ', State::$ran, "\n";
}
$f = fn() => 1;
set('beside the serializer\'s', ['h' => heap(), new Old]);
set('behind it', [new Old, ['deep' => heap('SplPriorityQueue')]]);
set('a subclass in a property', [new Old, (object) ['p' => heap('MyHeap')]]);
set('with a closure in it', ['h' => heap('SplPriorityQueue', $f)]);
set('with a closure in a hook in it', ['h' => heap('SplMinHeap', [new State($f)])]);
set('with the serializer\'s in it', heap('SplMaxHeap', [new Old]));
$h = heap('MyHeap'); $h->p = $f;
set('a closure in its property', [$h]);
--EXPECT--
beside the serializer's: TypeError must not contain a non-empty SplMinHeap together with what only PHP's serializer takes, which would empty it, found at $value['h'], asked 0
behind it: TypeError must not contain a non-empty SplPriorityQueue together with what only PHP's serializer takes, which would empty it, found at $value[1]['deep'], asked 0
a subclass in a property: TypeError must not contain a non-empty MyHeap together with what only PHP's serializer takes, which would empty it, found at $value[1]->p, asked 0
with a closure in it: TypeError must not contain an instance of Closure, found at $value['h'][0]['data'], asked 0
with a closure in a hook in it: TypeError must not contain an instance of Closure, found at $value['h'][0][0]->__serialize()['f'][1], asked 1
with the serializer's in it: TypeError must not contain a non-empty SplMaxHeap together with what only PHP's serializer takes, which would empty it, found at $value, asked 0
a closure in its property: TypeError must not contain an instance of Closure, found at $value[0]->p, asked 0
