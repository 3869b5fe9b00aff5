--TEST--
larder: errors: what PHP's serializer would change is refused with its path: resources in what hooks said; hooks that only it calls are its business
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;
use Larder\Queue;

class State { static $ran = 0; function __construct(public $x = null) {} function __serialize(): array { self::$ran++; return ['f' => [1, $this->x]]; } function __unserialize(array $d): void { $this->x = $d['f'][1]; } }
class Half { function __construct(public $x = null) {} function __serialize(): array { State::$ran++; return ['half' => $this->x]; } } // has no __unserialize(), so only PHP's serializer can store it
#[AllowDynamicProperties] class Sleeper { public $left; private $x; function __construct($x = null) { $this->x = $x; $this->left = STDERR; } function __sleep() { State::$ran++; return isset($this->more) ? ['x', 'more'] : ['x']; } }
class Old implements Serializable { function serialize() { return 'old'; } function unserialize($s) {} }
class Later { public $x; function __construct(public State $target) {} function __serialize(): array { $this->target->x = STDERR; return []; } function __unserialize(array $d): void {} }
function heap(string $class = 'SplMinHeap', ...$with): SplHeap|SplPriorityQueue { $h = new $class; foreach ($with ?: [3, 1, 2] as $x) $h instanceof SplPriorityQueue ? $h->insert($x, 1) : $h->insert($x); return $h; }
function set(string $name, mixed $value): void
{
    State::$ran = 0;
    VolatileCache::set('k', 'old');
    try { $r = var_export(VolatileCache::set('k', $value), true); echo "$name: $r ", VolatileCache::getCacheStoreType('k')->name; } catch (Throwable $e) { echo "$name: ", get_class($e), ' ', strstr($e->getMessage(), 'must'), VolatileCache::get('k') === 'old' ? '' : ' (stored)'; }
    echo ', asked ', State::$ran, "\n";
}
$f = fn() => 1;
foreach (['resource' => STDERR, 'closure' => $f, 'WeakMap' => new WeakMap] as $name => $bad) {
    set("$name in __serialize()", ['a' => new State($bad)]);
    set("$name in __sleep()", [1, new Sleeper($bad)]);
    $s = new Sleeper; $s->more = ['m' => $bad];
    set("$name in an added property", $s);
    set("$name, nested", new State(new State([new Sleeper(new State($bad))])));
    set("$name, beside the serializer's", [new Old, new State($bad)]);
    set("$name, in what only the serializer asks", [new Half([$bad])]);
    set("$name, in an exception's property", new class_with($bad));
    set("$name, in PHP's own", new ArrayObject([new SplObjectStorage, new ArrayObject(['k' => new State($bad)])]));
}
class class_with extends Exception { function __construct(public $x) {} }
set('what one hook puts where another looks', [new Old, new Later($s = new State), $s]);
echo "-- heaps\n";
set('in what a hook says', [new State(heap()), new Old]);
set('an empty one is no loss', [new SplMinHeap, new Old]);
set('without the serializer\'s', [heap(), new State(heap())]);
echo count(VolatileCache::get('k')[0]), count(VolatileCache::get('k')[1]->x), "\n-- what is as it should be\n";
set('hooks beside the serializer\'s', [new Old, new State(0), new Sleeper(0), new Half(0)]);
echo VolatileCache::get('k')[1]->x, "\n";
foreach ([fn() => VolatileCache::setMultiple(['a' => new State(1), 'b' => new State(STDERR)]), fn() => VolatileCache::remember('new', fn() => [new State($f)]), fn() => Queue::open('q')->push(new State([$f]))] as $do)
    try { $do(); echo "stored\n"; } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
var_dump(VolatileCache::has('a'), VolatileCache::has('new'), Queue::open('q')->info()->ready);
--EXPECT--
resource in __serialize(): TypeError must not contain a resource, found at $value['a']->__serialize()['f'][1], asked 1
resource in __sleep(): TypeError must not contain a resource, found at $value[1]->x, asked 1
resource in an added property: TypeError must not contain a resource, found at $value->more['m'], asked 1
resource, nested: TypeError must not contain a resource, found at $value->__serialize()['f'][1]->__serialize()['f'][1][0]->x->__serialize()['f'][1], asked 4
resource, beside the serializer's: true PHPSerialized, asked 1
resource, in what only the serializer asks: true PHPSerialized, asked 1
resource, in an exception's property: TypeError must not contain a resource, found at $value->x, asked 0
resource, in PHP's own: TypeError must not contain a resource, found at $value->__serialize()[1][1]->__serialize()[1]['k']->__serialize()['f'][1], asked 1
closure in __serialize(): TypeError must not contain an instance of Closure, found at $value['a']->__serialize()['f'][1], asked 1
closure in __sleep(): TypeError must not contain an instance of Closure, found at $value[1]->x, asked 1
closure in an added property: TypeError must not contain an instance of Closure, found at $value->more['m'], asked 1
closure, nested: TypeError must not contain an instance of Closure, found at $value->__serialize()['f'][1]->__serialize()['f'][1][0]->x->__serialize()['f'][1], asked 4
closure, beside the serializer's: Exception , asked 1
closure, in what only the serializer asks: Exception , asked 1
closure, in an exception's property: TypeError must not contain an instance of Closure, found at $value->x, asked 0
closure, in PHP's own: TypeError must not contain an instance of Closure, found at $value->__serialize()[1][1]->__serialize()[1]['k']->__serialize()['f'][1], asked 1
WeakMap in __serialize(): TypeError must not contain an instance of WeakMap, found at $value['a']->__serialize()['f'][1], asked 1
WeakMap in __sleep(): TypeError must not contain an instance of WeakMap, found at $value[1]->x, asked 1
WeakMap in an added property: TypeError must not contain an instance of WeakMap, found at $value->more['m'], asked 1
WeakMap, nested: TypeError must not contain an instance of WeakMap, found at $value->__serialize()['f'][1]->__serialize()['f'][1][0]->x->__serialize()['f'][1], asked 4
WeakMap, beside the serializer's: Exception , asked 1
WeakMap, in what only the serializer asks: Exception , asked 1
WeakMap, in an exception's property: TypeError must not contain an instance of WeakMap, found at $value->x, asked 0
WeakMap, in PHP's own: TypeError must not contain an instance of WeakMap, found at $value->__serialize()[1][1]->__serialize()[1]['k']->__serialize()['f'][1], asked 1
what one hook puts where another looks: true PHPSerialized, asked 1
-- heaps
in what a hook says: true PHPSerialized, asked 1
an empty one is no loss: true PHPSerialized, asked 0
without the serializer's: true SharedGraph, asked 1
33
-- what is as it should be
hooks beside the serializer's: true PHPSerialized, asked 3
0
Larder\VolatileCache::setMultiple(): Argument #1 ($values) must not contain a resource, found at $values['b']->__serialize()['f'][1]
Larder\VolatileCache::remember(): The value that $compute returned must not contain an instance of Closure, found at $value[0]->__serialize()['f'][1]
Larder\Queue::push(): Argument #1 ($body) must not contain an instance of Closure, found at $body->__serialize()['f'][1][0]
bool(false)
bool(false)
int(0)
