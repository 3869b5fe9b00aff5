--TEST--
larder: object: hooks that change the value, use the cache, belong to what is not stored
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Hooked { public static $do; public $v; function __construct($v = null) { $this->v = $v; } function __serialize(): array { (self::$do)($this, 'serialize'); return ['v' => $this->v]; } function __unserialize(array $d): void { $this->v = $d['v']; (self::$do)($this, 'unserialize'); } }
class Entity { public $id = 1; private $service; public ?Hooked $named = null; function __construct($service) { $this->service = $service; } function __sleep() { return ['id', 'named']; } function service() { return $this->service; } }
class Box { public $x; }
$nothing = Hooked::$do = fn() => null;

echo "hooks of what __sleep() leaves out are not called, nor is it refused\n";
Hooked::$do = fn() => throw new Exception('called');
foreach ([new Hooked, fn() => 1, [new Hooked]] as $service) var_dump(VolatileCache::set('k', new Entity($service)), VolatileCache::get('k')->service());
Hooked::$do = $nothing;

echo "a hook changes what is being stored\n";
$box = new Box; $list = [new Hooked('first'), $box, new Hooked('last')];
foreach (['scalar' => 5, 'array' => [1, [2]], 'object' => new Box, 'hooked' => new Hooked('added'), 'exception' => new LogicException('kept')] as $name => $what) {
    $box->x = null;
    Hooked::$do = function ($o, $hook) use ($box, $what) { if ($hook === 'serialize' && $o->v === 'last') $box->x = $what; };
    var_dump(VolatileCache::set('k', $list));
    $got = VolatileCache::get('k');
    echo "$name: ", get_debug_type($got[1]->x), ' ', $got[2]->v, "\n";
}
$box->x = null;
Hooked::$do = function ($o, $hook) use ($box) { if ($hook === 'serialize') $box->x = fn() => 1; };
try { VolatileCache::set('k', $list); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
$box->x = null;
Hooked::$do = function ($o, $hook) use (&$list) { if ($hook === 'serialize') $list = null; };
var_dump(VolatileCache::set('k', $list), count(VolatileCache::get('k')));

echo "a hook makes an object disappear\n";
$outer = new Box; $outer->x = [new Hooked(1), new Box, new Hooked(2)];
Hooked::$do = function ($o, $hook) use ($outer) { if ($hook === 'serialize') { $outer->x = []; $o->v = str_repeat('v', 100); } };
var_dump(VolatileCache::set('k', $outer), VolatileCache::get('k')->x);

echo "a hook uses the cache, the same key too\n";
Hooked::$do = function ($o, $hook) { static $inside = false; if (!$inside) { $inside = true; VolatileCache::get('k'); $inside = false; } VolatileCache::set('k', "by $hook"); VolatileCache::delete('k'); VolatileCache::set('other', [$hook]); VolatileCache::increment('n'); for ($i = 0; $i < 100; $i++) VolatileCache::set("fill $i", str_repeat('f', 20000)); };
var_dump(VolatileCache::set('k', [new Hooked([1, str_repeat('x', 100)]), new Hooked('b')]));
$got = VolatileCache::get('k');
var_dump(strlen($got[0]->v[1]), $got[1]->v, VolatileCache::get('k'), VolatileCache::get('n'));
Hooked::$do = function ($o, $hook) { static $depth = 0; if ($hook === 'unserialize' && $depth++ < 3) $o->v = VolatileCache::get('self'); };
VolatileCache::set('self', new Hooked('s'));
var_dump(VolatileCache::get('self')->v->v->v->v);
Hooked::$do = function ($o, $hook) { static $depth = 0; if ($hook === 'serialize' && $depth++ < 3) VolatileCache::set('inner', [$o, $depth]); };
var_dump(VolatileCache::set('inner', [new Hooked('i'), 'outer']), VolatileCache::get('inner')[1]);

echo "setMultiple: hooks of a later value change an earlier one: it is stored as it is then, or all are refused\n";
foreach ([5, new Box, new Hooked, fn() => 1] as $what) {
    $box->x = null; $set = new Hooked('later'); VolatileCache::delete('box');
    Hooked::$do = function ($o, $hook) use ($box, $what) { if ($hook === 'serialize' && $o->v === 'later') $box->x = $what; };
    try { $ok = VolatileCache::setMultiple(['box' => $box, 'h' => $set, 'after' => 1]); } catch (TypeError $e) { $ok = null; }
    $got = VolatileCache::get('box');
    echo get_debug_type($what), ': ', var_export($ok, true), ' ', $got === null ? 'not stored' : get_debug_type($got->x), ' ', VolatileCache::get('h')->v, "\n";
}
Hooked::$do = $nothing;
echo "remember() and add()\n";
var_dump(VolatileCache::remember('r', fn() => new Hooked([new Box]))->v[0] == new Box, VolatileCache::get('r')->v[0] == new Box, VolatileCache::add('r', new Hooked), VolatileCache::add('a', new Hooked(1)));

echo "a hook returns no array\n";
class Bad { public $x = 1; function __sleep() { return null; } }
try { VolatileCache::set('k', new Bad); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
hooks of what __sleep() leaves out are not called, nor is it refused
bool(true)
NULL
bool(true)
NULL
bool(true)
NULL
a hook changes what is being stored
bool(true)
scalar: int last
bool(true)
array: array last
bool(true)
object: Box last
bool(true)
hooked: Hooked last
bool(true)
exception: LogicException last
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value[1]->x
bool(true)
int(3)
a hook makes an object disappear
bool(true)
array(0) {
}
a hook uses the cache, the same key too
bool(true)
int(100)
string(1) "b"
NULL
int(6)
string(1) "s"
bool(true)
string(5) "outer"
setMultiple: hooks of a later value change an earlier one: it is stored as it is then, or all are refused
int: true int later
Box: true Box later
Hooked: true Hooked later
Closure: NULL not stored later
remember() and add()
bool(true)
bool(true)
bool(false)
bool(true)
a hook returns no array
Bad::__sleep() must return an array
