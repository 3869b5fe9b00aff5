--TEST--
larder: object: what cannot be stored is refused with the path to it, and the entry stays
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Holder { public $a; private $b; function __construct($x) { $this->b = ['k' => $x]; } }
class State { public $v; function __construct($v) { $this->v = $v; } function __serialize(): array { return ['v' => $this->v]; } function __unserialize(array $d): void { } }
final class NotMe { function __serialize(): array { throw new Exception('You cannot serialize or unserialize NotMe instances'); } function __unserialize(array $d): void { } }
VolatileCache::set('r', 'old');
$bad = ['closure' => fn() => 1, 'generator' => (function () { yield 1; })(), 'resource' => STDIN, 'anonymous' => new class { public $x; }, 'WeakMap' => new WeakMap, 'WeakReference' => WeakReference::create(new Holder(1)), 'reflection' => new ReflectionClass('Holder'), 'as PDO' => new NotMe];
foreach ($bad as $name => $x) {
    foreach ([$x, [1, 'deep' => [$x]], new Holder($x), (object) ['dynamic' => $x], [&$x, new Holder(1)]] as $value)
        try { VolatileCache::set('r', $value); echo "stored\n"; } catch (Throwable $e) { echo get_class($e), ': ', preg_replace('/@anonymous.*?,/', '@anonymous,', $e->getMessage()), "\n"; }
    unset($x);
}
foreach ([new State(fn() => 1), new ArrayObject([new WeakMap])] as $value) try { VolatileCache::set('r', $value); echo "stored\n"; } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
var_dump(VolatileCache::get('r'));
--EXPECT--
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value['deep'][0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value->b['k']
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value->dynamic
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value[0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Generator, found at $value
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Generator, found at $value['deep'][0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Generator, found at $value->b['k']
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Generator, found at $value->dynamic
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Generator, found at $value[0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value['deep'][0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value->b['k']
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value->dynamic
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value[0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of class@anonymous, found at $value
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of class@anonymous, found at $value['deep'][0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of class@anonymous, found at $value->b['k']
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of class@anonymous, found at $value->dynamic
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of class@anonymous, found at $value[0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakMap, found at $value
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakMap, found at $value['deep'][0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakMap, found at $value->b['k']
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakMap, found at $value->dynamic
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakMap, found at $value[0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakReference, found at $value
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakReference, found at $value['deep'][0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakReference, found at $value->b['k']
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakReference, found at $value->dynamic
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakReference, found at $value[0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of ReflectionClass, found at $value
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of ReflectionClass, found at $value['deep'][0]
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of ReflectionClass, found at $value->b['k']
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of ReflectionClass, found at $value->dynamic
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of ReflectionClass, found at $value[0]
Exception: You cannot serialize or unserialize NotMe instances
Exception: You cannot serialize or unserialize NotMe instances
Exception: You cannot serialize or unserialize NotMe instances
Exception: You cannot serialize or unserialize NotMe instances
Exception: You cannot serialize or unserialize NotMe instances
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value->__serialize()['v']
TypeError: Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakMap, found at $value->__serialize()[1][0]
string(3) "old"
