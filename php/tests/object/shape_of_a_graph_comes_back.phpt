--TEST--
larder: object: identity, cycles, private and added properties, enums, references and readonly come back
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

enum Suit: string { case Hearts = 'h'; case Spades = 's'; }
class Base {
    private $secret = 1; protected ?Base $parent = null;
    function __construct(public readonly string $name, public array $list = []) {}
    function adopt(Base $child) { $child->parent = $this; return $this; }
    function parent() { return $this->parent; }
}
#[AllowDynamicProperties]
class Child extends Base { private $secret = 'child'; public int $typed; public ?Suit $suit = null; }
$child = new Child('hello', [1, 2, ['a' => new Base('inner')]]);
$child->suit = Suit::Spades;
$base = (new Base('parent', ['k' => $child, 'same' => $child]))->adopt($child);
$child->dynamic = [1, $child];
$object = new stdClass;
$object->a = 1;
$object->{'5'} = new stdClass;
$object->list = [1, 2, 3];
$value = [$child, $base, $object, 'x' => ['y' => $object], 'e' => Suit::Hearts];
$r = 5;
$value['ref1'] = &$r;
$value['ref2'] = &$r;
var_dump(VolatileCache::set('k', $value), VolatileCache::getCacheStoreType('k')->name);
$got = VolatileCache::get('k');
$dump = function ($value) { ob_start(); var_dump($value); return preg_replace('/#\d+/', '#', ob_get_clean()); };
var_dump($dump($got) === $dump(unserialize(serialize($value))), serialize($got) === serialize($value));
var_dump($got[0] === $got[1]->list['same'], $got[0]->parent() === $got[1], $got[0] !== $child, $got['e'] === Suit::Hearts);
$got['ref1'] = 9;
var_dump($got['ref2'], $r);
try { $got[0]->name = 'x'; } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { $got[0]->typed; } catch (Error $e) { echo $e->getMessage(), "\n"; }
unset($got);
gc_collect_cycles();
for ($i = 0; $i < 3; $i++) {
    $before = memory_get_usage();
    $got = VolatileCache::get('k');
    unset($got);
    gc_collect_cycles();
    $grown = memory_get_usage() - $before;
}
var_dump($grown);
--EXPECT--
bool(true)
string(11) "SharedGraph"
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(9)
int(5)
Cannot modify readonly property Base::$name
Typed property Child::$typed must not be accessed before initialization
int(0)
