--TEST--
larder: object: a fetched collection has an array of its own, with and without other users of it, held or copied
--EXTENSIONS--
larder
--INI--
larder.volatile_size=8M
--FILE--
<?php
use Larder\VolatileCache;

$pure = ['k' => str_repeat('text', 30), 'list' => [1, str_repeat('deep', 30)]];
$deep = ['k' => str_repeat('text', 30), 'o' => new stdClass];
$queue = function (array $values) { $q = new SplQueue; foreach ($values as $v) $q[] = $v; return $q; };
foreach (['held', 'not held'] as $how) {
    foreach (['pure' => $pure, 'deep' => $deep, 'empty' => []] as $name => $map)
        VolatileCache::set("$how $name", [$object = new ArrayObject($map), new ArrayIterator($map), $map, [$map], $queue([$map, str_repeat('queued', 30)]), SplFixedArray::fromArray([$map, str_repeat('fixed', 30)]), $object->__serialize()[1]]);
    VolatileCache::set("$how strings", [$queue([str_repeat('queued', 30), [1]]), SplFixedArray::fromArray([str_repeat('fixed', 30), [1]])]);
}
$check = function (string $name) {
    $text = serialize($got = VolatileCache::get($name));
    $got[0]['new'] = 'first'; unset($got[0]['k']);
    $got[1]['new'] = 'second';
    $got[2]['new'] = 'third';
    $wanted = unserialize($text);
    $wanted[0]['new'] = 'first'; unset($wanted[0]['k']);
    $wanted[1]['new'] = 'second';
    $wanted[2]['new'] = 'third';
    return serialize($got) === serialize($wanted) && serialize(VolatileCache::get($name)) === $text;
};
$overwritten = function (string $name) {
    $text = serialize($got = VolatileCache::get($name));
    VolatileCache::delete($name);
    for ($i = 0; $i < 20000; $i++) { VolatileCache::set("over $i", str_repeat('overwritten', 10 + $i % 250)); VolatileCache::get("over $i"); }
    return serialize($got) === $text;
};
foreach (['held', 'not held'] as $how) {
    echo "$how:";
    if ($how === 'not held') { /* use up the holds of this request */
        for ($i = 0; $i < 1100; $i++) VolatileCache::set("small$i", [$i]);
        for ($i = 0; $i < 1100; $i++) $hold[] = VolatileCache::get("small$i");
    }
    foreach (['pure', 'deep', 'empty'] as $name) echo ' ', json_encode($check("$how $name"));
    foreach (['pure', 'deep', 'strings'] as $name) echo ' ', json_encode($overwritten("$how $name"));
    echo "\n";
}
--EXPECT--
held: true true true true true true
not held: true true true true true true
