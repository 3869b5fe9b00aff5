--TEST--
larder: object: references between slots, elements and typed properties; the types go on binding them
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Typed { public int $number = 1; public ?string $text = 'a'; public $open; public array $list = []; }
function stored($value) { VolatileCache::set('k', $value); echo VolatileCache::getCacheStoreType('k')->name, "\n"; return VolatileCache::get('k'); }

$t = new Typed; $t->open = &$t->number; $t->list['n'] = &$t->number;
$got = stored($t);
$got->open = 7;
var_dump($got->number, $got->list['n'], $t->number);
foreach (['open', 'number'] as $name) try { $got->$name = 'text'; } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
$got->list['n'] = 8;
var_dump($got->number);

echo "a copy shares them, as copies do\n";
$copy = clone $got;
$copy->open = 9;
var_dump($got->number);
unset($got, $copy);

echo "one reference in properties of two types\n";
class Wide { public int|string|null $value; public int|float $number; }
$w = new Wide; $v = 5; $w->value = &$v; $w->number = &$v;
$got = stored($w);
try { $got->value = 'x'; } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
$got->value = 6;
var_dump($got->number);

echo "to objects\n";
$o = new stdClass; $list = ['plain' => $o]; $list['a'] = &$o; $list['b'] = &$o;
$got = stored($list);
var_dump($got['plain'] === $got['a']);
$got['a'] = 'other';
var_dump($got['b'], $got['plain'] == new stdClass);

echo "copies of an array share its references\n";
$n = 1; $array = [&$n]; $o = new stdClass; $o->x = $array; $o->y = $array;
VolatileCache::set('k', $o);
$got = VolatileCache::get('k');
$got->x[0] = 2;
var_dump($got->y[0]);

echo "one that nobody else has is a value\n";
$o = new stdClass; $n = [1]; $o->v = &$n; unset($n);
$got = stored($o);
$copy = clone $got; $copy->v[] = 2;
var_dump(count($got->v));
--EXPECT--
SharedGraph
int(7)
int(7)
int(1)
Cannot assign string to reference held by property Typed::$number of type int
Cannot assign string to property Typed::$number of type int
int(8)
a copy shares them, as copies do
int(9)
one reference in properties of two types
SharedGraph
Cannot assign string to reference held by property Wide::$value of type string|int|null and property Wide::$number of type int|float, as this would result in an inconsistent type conversion
int(6)
to objects
SharedGraph
bool(true)
string(5) "other"
bool(true)
copies of an array share its references
int(2)
one that nobody else has is a value
SharedGraph
int(1)
