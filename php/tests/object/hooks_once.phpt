--TEST--
larder: object: a hook runs once for each object, also where the serializer has the last word
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Hooked { public static $ran = []; public static $do; public $v; function __construct($v = null) { $this->v = $v; } function __serialize(): array { self::$ran[] = get_debug_type($this->v) === 'string' ? $this->v : 'hooked'; if (self::$do) (self::$do)($this); return ['v' => $this->v]; } function __unserialize(array $d): void { $this->v = $d['v']; } }
class Asleep { public $v = 1; public $left; function __sleep() { Hooked::$ran[] = 'asleep'; return ['v']; } }
class Woken { public $v; function __wakeup() {} }
/* Half has no __unserialize(), so Larder could not restore it, and PHP's serializer must store it. */
class Half { public $v = 2; function __serialize(): array { Hooked::$ran[] = 'half'; return ['v' => $this->v]; } }
class Box { public $x; }
function show(string $what, mixed $done): void { echo "$what: ", var_export($done, true), ' ', VolatileCache::getCacheStoreType('k')->name, ' ', implode(' ', Hooked::$ran), "\n"; Hooked::$ran = []; }

echo "the serializer's objects are found before any hook is called\n";
foreach (['after' => [new Hooked('a'), new Asleep, new Half], 'before' => [new Half, new Hooked('a'), new Asleep], 'deeper' => [new Hooked('a'), ['x' => new Half]]] as $where => $value) show($where, VolatileCache::set('k', $value));
show('below arrays of arrays', VolatileCache::set('k', [new Hooked('a'), ['flat' => [1, ['two', [3]]], 'x' => [[[['y', [new Half]]]]]]]));
$woken = new Woken; $woken->v = new Half;
show('in one with __wakeup() alone', VolatileCache::set('k', [new Hooked('a'), $woken]));
$asleep = new Asleep; $asleep->left = new Half;
show('left out by __sleep()', VolatileCache::set('k', [new Hooked('a'), $asleep]));
$list = [1, 2]; $value = [new Hooked('a'), $list, &$list, &$list];
show('a shared array with references', VolatileCache::set('k', $value));
$made = range(1, count($list)); $value = [new Hooked('a'), [[$made]], ['x' => [$made]], &$list, &$list];
show('one below other arrays', VolatileCache::set('k', $value));
show('setMultiple()', VolatileCache::setMultiple(['k' => [new Hooked('a'), new Half]]));

echo "what a hook puts where the walk has been is asked, too, the others not again\n";
$box = new Box; $last = new Hooked('last');
Hooked::$do = function ($o) use ($box) { if ($o->v === 'last') $box->x = new Hooked('added'); };
show('set()', VolatileCache::set('k', [$box, new Hooked('first'), $last]));
var_dump(VolatileCache::get('k')[0]->x->v);
$box->x = null;
show('setMultiple()', VolatileCache::setMultiple(['k' => [$box, new Hooked('first')], 'l' => $last]));
var_dump(VolatileCache::get('k')[0]->x->v);
$box->x = null;
Hooked::$do = function ($o) use ($box) { if (count(Hooked::$ran) < 5) $box->x = new Hooked([$box->x]); };
show('several times', VolatileCache::set('k', [$box, $last]));
Hooked::$do = null;

echo "a hook's answer that is no array is given up\n";
class Text { public static $text; function __sleep() { return self::$text; } }
Text::$text = str_repeat('t', 50);
try { VolatileCache::set('k', [new Text]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
$others = array_map(fn($i) => str_repeat(chr(65 + $i), 50), range(0, 25)); // if the text was freed, one of these strings takes its memory
var_dump(Text::$text === str_repeat('t', 50));

echo "__sleep() names slots beyond the 64th\n";
eval('class Wide { ' . implode(' ', array_map(fn($i) => "public \$p$i = null;", range(0, 79))) . ' function __sleep() { return ["p0", "p63", "p64", "p79"]; } }');
$wide = new Wide;
foreach ($wide as $name => $_) $wide->$name = "value of $name";
VolatileCache::set('k', $wide);
echo implode(', ', array_filter((array) VolatileCache::get('k'))), "\n";
--EXPECT--
the serializer's objects are found before any hook is called
after: true PHPSerialized a asleep half
before: true PHPSerialized half a asleep
deeper: true PHPSerialized a half
below arrays of arrays: true PHPSerialized a half
in one with __wakeup() alone: true PHPSerialized a half
left out by __sleep(): true SharedGraph a asleep
a shared array with references: true PHPSerialized a
one below other arrays: true PHPSerialized a
setMultiple(): true PHPSerialized a half
what a hook puts where the walk has been is asked, too, the others not again
set(): true SharedGraph first last added
string(5) "added"
setMultiple(): true SharedGraph first last added
string(5) "added"
several times: true SharedGraph last hooked hooked hooked hooked
a hook's answer that is no array is given up
Text::__sleep() must return an array
bool(true)
__sleep() names slots beyond the 64th
value of p0, value of p63, value of p64, value of p79
