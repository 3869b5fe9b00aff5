--TEST--
larder: resident: every fetch of immutable objects returns the same, right instances
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\{VolatileCache, PinnedCache};

enum Level: string { case Low = 'low'; case High = 'high'; }
final readonly class Item
{
    public function __construct(public string $name, protected int|float|null $value, private array $list, public Level $level = Level::Low, public ?object $other = null) {}
    public function list(): array { return $this->list; }
    public function withName(string $name): static { return new static($name, $this->value, $this->list, $this->level, $this->other); }
}
final readonly class Ring { public ?Ring $next; public function __construct(public int $n, ?int $left = null, ?Ring $first = null) { $this->next = $left === 0 ? $first : new Ring($n + 1, ($left ?? 5) - 1, $first ?? $this); } }
final readonly class Nothing {}

$inner = new Item('inner', null, [1, 2, [3]], Level::High);
$values = [
    'one' => $inner,
    'nested' => new Item('outer', 2.5, ['a' => $inner, 'b' => [$inner, [Level::Low, $inner]], 'c' => str_repeat('x', 100)], Level::High, $inner),
    'array' => ['x' => $inner, 'y' => [1, 2, 3], 'z' => Level::High, 7 => [new Item("\0", 1, []), new Item('', -1, [[]])]],
    'packed' => [$inner, $inner, 5],
    'holes' => (function () use ($inner) { $a = [1, $inner, 3, $inner]; unset($a[0], $a[2]); return $a; })(),
    'ring' => new Ring(0),
    'nothing' => [new Nothing, new Nothing],
];
foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    foreach ($values as $key => $value) {
        $cache::set($key, $value);
        if (($type = $cache::getCacheStoreType($key)->name) !== 'Resident' || $cache::keyInfo($key)->store_type->name !== $type) echo "$key is $type\n";
        $got = $cache::get($key);
        $again = $cache::get($key);
        $found = fn(mixed $v): array => is_object($v) ? [$v] : array_merge(...array_map($found, array_filter($v, fn($x) => is_array($x) || is_object($x))));
        if ($got !== $again) echo "$key: two instances\n";
        if ($key !== 'ring' && $got != $value) echo "$key differs\n";
        if (serialize($got) !== serialize($value)) echo "$key: ", serialize($got), "\n";
        if (print_r($got, true) !== print_r($value, true) || json_encode($got) !== json_encode($value)) echo "$key looks different\n";
        if (serialize(unserialize(serialize($got))) !== serialize($value)) echo "$key does not serialize\n";
    }
    $cache::setMultiple(['m1' => $inner, 'm2' => ['i' => $inner]]);
    $m = $cache::getMultiple(['m1', 'm2', 'm3']);
    var_dump($m['m1'] === $cache::get('m1'), $m['m2']['i'] === $cache::get('m2')['i'], $m['m1'] === $m['m2']['i']);
    var_dump($cache::remember('m1', fn() => 'computed') === $m['m1']);
}

$outer = VolatileCache::get('nested');
$array = VolatileCache::get('array');
$ring = VolatileCache::get('ring');
echo "identity inside: "; var_dump($outer->other === $outer->list()['a'], $outer->list()['b'][1][1] === $outer->other, $outer->level === Level::High, $outer->list()['b'][1][0] === Level::Low);
echo "of two entries: "; var_dump($array['x'] === $outer->other, $array['x'] == $outer->other);
echo "a ring: "; for ($r = $ring, $i = 0; $i < 12; $i++, $r = $r->next) echo $r->n, ' '; var_dump($r === $ring);
$ids = array_map(spl_object_id(...), [$inner, $outer, $outer->other, $array['x'], $ring, $ring->next, $array[7][0], new stdClass]);
echo "ids: "; var_dump(count(array_unique($ids)) === count($ids));

echo "changes: ";
foreach (['name' => fn() => $outer->name = 'x', 'unset' => function () use ($outer) { unset($outer->name); }, 'added' => fn() => $outer->more = 1, 'reference' => function () use ($outer) { $r = &$outer->name; $r = 'x'; }, 'constructor' => fn() => $outer->__construct('a', 1, [])] as $how => $change) {
    try { $change(); echo "$how worked "; } catch (Error $e) { echo "$how: ", str_replace('indirectly ', '', $e->getMessage()), '; '; }
}
echo "\n";
$array['x'] = 5; $array[7][] = 'more'; unset($array['y']);
echo "copies: "; var_dump(VolatileCache::get('array')['x'] === $m['m1'] || VolatileCache::get('array')['x'] instanceof Item, count(VolatileCache::get('array')[7]), count($array[7]));
$clone = clone $outer; $with = $outer->withName('with');
var_dump($clone !== $outer, $clone == $outer, $clone->other === $outer->other, $with->name, $outer->name, spl_object_id($clone) < 1000);
unset($clone, $with, $array);
VolatileCache::set('back', $outer); VolatileCache::set('back', VolatileCache::get('back'));
var_dump(serialize(VolatileCache::get('back')) === serialize($values['nested']));
?>
--EXPECT--
bool(true)
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
identity inside: bool(true)
bool(true)
bool(true)
bool(true)
of two entries: bool(false)
bool(true)
a ring: 0 1 2 3 4 5 0 1 2 3 4 5 bool(true)
ids: bool(true)
changes: name: Cannot modify readonly property Item::$name; unset: Cannot unset readonly property Item::$name; added: Cannot create dynamic property Item::$more; reference: Cannot modify readonly property Item::$name; constructor: Cannot modify readonly property Item::$name; 
copies: bool(true)
int(2)
int(3)
bool(true)
bool(true)
bool(true)
string(4) "with"
string(5) "outer"
bool(true)
bool(true)
