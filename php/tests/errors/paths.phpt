--TEST--
larder: errors: what cannot be stored is named by its path
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

#[AllowDynamicProperties] class Box { public $open; protected $shut; private $own; public $list = []; function __construct($o = null, $s = null, $w = null) { $this->open = $o; $this->shut = $s; $this->own = $w; } }
$f = fn() => 1; $r = fopen('php://memory', 'r'); $g = (function () { yield 1; })();
$o = new Box; $o->dynamic = ['x' => $r]; $ref = ['in' => $f];
$cases = [$f, $r, $g, ['a' => [1, 2, 3, $f]], [new Box($r)], [new Box(null, $f)], ['k' => new Box(null, null, [[$r]])], $o, [[[[[$g]]]]], ["quote'd \n" => $f], [-5 => $r], ['ref' => &$ref], new ArrayObject([1, $f]), new class { public $x = 1; }, ['w' => WeakReference::create($o)]];
VolatileCache::set('k', 'old');
foreach ($cases as $c) try { VolatileCache::set('k', $c); echo "accepted\n"; } catch (TypeError $e) { echo preg_replace('/class@anonymous.*?,/s', 'class@anonymous,', $e->getMessage()), "\n"; } catch (Exception $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; }
try { PinnedCache::add('k', [1 => $f]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
try { PinnedCache::setMultiple([7 => [$f]]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
var_dump(VolatileCache::get('k'), PinnedCache::has('k'));
--EXPECT--
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value
Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Generator, found at $value
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value['a'][3]
Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value[0]->open
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value[0]->shut
Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value['k']->own[0][0]
Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value->dynamic['x']
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Generator, found at $value[0][0][0][0][0]
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value['quote'd \n']
Larder\VolatileCache::set(): Argument #2 ($value) must not contain a resource, found at $value[-5]
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value['ref']['in']
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value->__serialize()[1][1]
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of class@anonymous, found at $value
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of WeakReference, found at $value['w']
Larder\PinnedCache::add(): Argument #2 ($value) must not contain an instance of Closure, found at $value[1]
Larder\PinnedCache::setMultiple(): Argument #1 ($values) must not contain an instance of Closure, found at $values[7][0]
string(3) "old"
bool(false)
