--TEST--
larder: object: many properties, many nodes and many classes in one value
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

/** Stores a value, fetches it twice, and compares it with the result of PHP's serializer. */
function same(string $what, mixed $value): void
{
    VolatileCache::set($what, $value);
    $copy = unserialize(serialize($value));
    $expected = serialize($copy);
    for ($fetch = 1; $fetch <= 2; $fetch++) {
        $got = VolatileCache::get($what);
        echo $what, ' ', $fetch, ': ', serialize($got) === $expected ? 'same' : 'differs', ' ', VolatileCache::getCacheStoreType($what)->name, "\n";
    }
    $copy = $got = null;
    gc_collect_cycles();
}

class Leaf { public function __construct(public mixed $value) {} }

/** Makes a class with $slots properties, and returns its name. */
function wide(int $slots): string
{
    $names = implode(' ', array_map(fn(int $i) => "public mixed \$p$i = 'default $i';", range(0, $slots - 1)));
    eval("class Wide$slots { $names }");
    return "Wide$slots";
}

/* Put an object, or an array with an object, into each property slot in turn, then objects into all slots. Slot 32 is the first slot
 * without a bit of its own in Larder's mask. */
foreach ([31, 32, 33, 70] as $slots) {
    $class = wide($slots);
    $each = [];
    for ($slot = 0; $slot < $slots; $slot++) {
        $object = new $class;
        $object->{"p$slot"} = $slot % 2 ? new Leaf($slot) : [$slot, 'leaf' => new Leaf([$slot])];
        $each[] = $object;
    }
    same("$slots, one at a time", $each);
    $all = new $class;
    for ($slot = 0; $slot < $slots; $slot++) {
        $all->{"p$slot"} = new Leaf(str_repeat((string) $slot, 3));
    }
    same("$slots, all", $all);
    $all->{'p' . $slots - 1} = $all; // a cycle through the last property
    $all->p0 = &$all->p1;
    same("$slots, cyclic", $all);
    same("$slots, unset", (function () use ($all, $slots) { $all->{'p' . $slots - 1} = null; unset($all->p5, $all->{'p' . $slots - 2}); return $all; })());
}

/* A fetch of up to 32 nodes and classes uses tables of fixed size. So try numbers below and above this limit. */
foreach ([1, 31, 32, 33, 64, 65, 1000] as $nodes) {
    same("$nodes nodes", array_map(fn(int $i) => new Leaf($i), range(1, $nodes)));
}
$all = [];
for ($i = 0; $i < 200; $i++) {
    eval("class Kind$i { public int \$i = $i; public ?Leaf \$leaf = null; public mixed \$previous = null; }");
    $object = new ("Kind$i");
    $object->leaf = new Leaf("leaf $i");
    $object->previous = $all[$i - 1] ?? null;
    $all[] = $object;
    if (in_array($i, [31, 32, 33, 199])) {
        same("$i classes", $all);
    }
}
$all = $value = $each = $object = null;
gc_collect_cycles();
?>
--EXPECT--
31, one at a time 1: same SharedGraph
31, one at a time 2: same SharedGraph
31, all 1: same SharedGraph
31, all 2: same SharedGraph
31, cyclic 1: same SharedGraph
31, cyclic 2: same SharedGraph
31, unset 1: same SharedGraph
31, unset 2: same SharedGraph
32, one at a time 1: same SharedGraph
32, one at a time 2: same SharedGraph
32, all 1: same SharedGraph
32, all 2: same SharedGraph
32, cyclic 1: same SharedGraph
32, cyclic 2: same SharedGraph
32, unset 1: same SharedGraph
32, unset 2: same SharedGraph
33, one at a time 1: same SharedGraph
33, one at a time 2: same SharedGraph
33, all 1: same SharedGraph
33, all 2: same SharedGraph
33, cyclic 1: same SharedGraph
33, cyclic 2: same SharedGraph
33, unset 1: same SharedGraph
33, unset 2: same SharedGraph
70, one at a time 1: same SharedGraph
70, one at a time 2: same SharedGraph
70, all 1: same SharedGraph
70, all 2: same SharedGraph
70, cyclic 1: same SharedGraph
70, cyclic 2: same SharedGraph
70, unset 1: same SharedGraph
70, unset 2: same SharedGraph
1 nodes 1: same SharedGraph
1 nodes 2: same SharedGraph
31 nodes 1: same SharedGraph
31 nodes 2: same SharedGraph
32 nodes 1: same SharedGraph
32 nodes 2: same SharedGraph
33 nodes 1: same SharedGraph
33 nodes 2: same SharedGraph
64 nodes 1: same SharedGraph
64 nodes 2: same SharedGraph
65 nodes 1: same SharedGraph
65 nodes 2: same SharedGraph
1000 nodes 1: same SharedGraph
1000 nodes 2: same SharedGraph
31 classes 1: same SharedGraph
31 classes 2: same SharedGraph
32 classes 1: same SharedGraph
32 classes 2: same SharedGraph
33 classes 1: same SharedGraph
33 classes 2: same SharedGraph
199 classes 1: same SharedGraph
199 classes 2: same SharedGraph
