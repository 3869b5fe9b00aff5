--TEST--
larder: array: arrays whose keys are the same strings, or nearly, keep each its own
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
function check(string $what, mixed $value): void
{
    immutable_cache_add($what, $value);
    $other = immutable_cache_fetch($what);
    Larder\VolatileCache::set('k', $value);
    $got = Larder\VolatileCache::get('k');
    echo $what, ': ', serialize($got) === serialize($value) && serialize($other) === serialize($value) ? 'same' : 'OTHER ' . json_encode([$got, $other]), "\n";
    foreach ((array) $got as $i => $row) { // look up each key, because serialize() does not use the hash part of an array
        foreach (is_array($row) ? $row : [] as $key => $element) {
            if (!array_key_exists($key, $row) || !is_object($element) && $row[$key] !== ((array) $value)[$i][$key]) {
                echo "$what: $i $key is not found\n";
            }
        }
    }
}

$row = fn(int $i) => ['id' => $i, 'name' => "name $i", 'tags' => [$i], 'more' => null];
check('a literal', array_map($row, range(1, 100)));
check('other values', [$row(1), ['id' => 'text', 'name' => ['a' => 1], 'tags' => 1.5, 'more' => true], $row(2)]);
check('another key in the middle', [$row(1), ['id' => 1, 'eman' => 2, 'tags' => 3, 'more' => 4], ['id' => 1, 'name' => 2, 'gats' => 3, 'more' => 4], $row(2)]);
check('fewer keys', [$row(1), ['id' => 1, 'name' => 2, 'more' => 3], ['id' => 1, 'more' => 2], ['id' => 1], $row(2)]);
check('one key', [['id' => 1], ['id' => 2], ['name' => 3], ['id' => 4]]);
check('another order', [['id' => 1, 'name' => 2, 'tags' => 3, 'more' => 4], ['id' => 1, 'tags' => 2, 'name' => 3, 'more' => 4]]);
check('numbers for keys', [[5 => 1, 9 => 2], [5 => 3, 9 => 4], [6 => 5, 9 => 6], [6 => 7, 8 => 8]]);
check('both kinds of keys', [['a' => 1, 7 => 2, 'b' => 3], ['a' => 4, 7 => 5, 'b' => 6], ['a' => 7, 8 => 8, 'b' => 9], ['a' => 1, 'x' => 2, 'b' => 3]]);
check('lists between', [['a' => 1, 'b' => 2], [1, 2], ['a' => 3, 'b' => 4], [3, 4], ['a' => 5, 'b' => 6]]);
check('empty between', [['a' => 1], [], ['a' => 2], [], ['a' => 3]]);

$holes = array_map($row, range(1, 10));
unset($holes[2]['name'], $holes[5]['more'], $holes[7]['id'], $holes[8]['name'], $holes[8]['tags']);
check('without some', $holes);
unset($holes[0]['name']);
check('the first without one', $holes);
$again = $holes;
$again[0]['name'] = 'at the end';
$again[3]['another'] = 1;
check('and with another', $again);

$made = [];
for ($i = 0; $i < 50; $i++) { // different strings with equal content
    $made[] = [str_repeat('k', 1 + $i % 2) => $i, implode('-', ['x', $i % 3]) => -$i];
}
check('made at run time', $made);
check('many shapes', array_map(fn(int $i) => array_combine(array_map(fn(int $j) => "key $j", range($i, $i + $i % 7)), range(0, $i % 7)), range(1, 1000)));

#[AllowDynamicProperties]
class Row { public $id = 1; }
$objects = [];
for ($i = 0; $i < 20; $i++) {
    $objects[$i] = new Row;
    $objects[$i]->name = "name $i";
    $objects[$i]->{$i % 2 ? 'odd' : 'even'} = $row($i);
}
check('properties without a slot', $objects);
/* The object's table of properties has the same keys as $pair(), but the value of "id" is in a slot of the object. */
$pair = fn(int $i) => ['id' => $i, 'name' => $i];
$object = new Row;
$object->name = $pair(1);
check('as in an array before', [$pair(2), $object]);
check('as in an array behind', [$object]);
$objects[0]->name = [[$i, $i], $i, $i, $pair(3)];
check('and behind a list', [[$i, $i, $i], $objects[0]]);
$std = array_map(fn(int $i) => (object) ['id' => $i, 'name' => $i], range(1, 20));
check('stdClass', [['id' => 0, 'name' => 0], $std, ['id' => 1, 'name' => 1]]);
?>
--EXPECT--
a literal: same
other values: same
another key in the middle: same
fewer keys: same
one key: same
another order: same
numbers for keys: same
both kinds of keys: same
lists between: same
empty between: same
without some: same
the first without one: same
and with another: same
made at run time: same
many shapes: same
properties without a slot: same
as in an array before: same
as in an array behind: same
and behind a list: same
stdClass: same
