--TEST--
larder: object: one object met twice is one object again; two equal ones stay two; ids are unique
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Item { public function __construct(public $name, public $other = null, public array $list = []) {} }
$one = new Item('one');
$twin = new Item('one');
VolatileCache::set('k', ['a' => $one, 'b' => [$one, $twin], 'holder' => new Item('holder', $one, ['x' => $twin])]);
$got = VolatileCache::get('k');
var_dump($got['a'] === $got['b'][0], $got['a'] === $got['holder']->other, $got['b'][1] === $got['holder']->list['x']);
var_dump($got['a'] == $got['b'][1], $got['a'] === $got['b'][1], $got['a'] === $one);

echo "each fetch makes new ones, with ids of their own\n";
$again = VolatileCache::get('k');
var_dump($again['a'] === $got['a'], $again == $got);
$ids = array_map(spl_object_id(...), [$one, $twin, $got['a'], $got['b'][1], $got['holder'], $again['a'], $again['b'][1], $again['holder']]);
var_dump(count(array_unique($ids)));
$got['a']->name = 'changed';
var_dump($again['a']->name, $one->name, VolatileCache::get('k')['a']->name);
$all = [];
for ($i = 0; $i < 50; $i++) { $all[] = VolatileCache::get('k'); if ($i % 3 === 0) $all[$i - 2] = null; }
$ids = [];
foreach (array_filter($all) as $g) array_push($ids, ...array_map(spl_object_id(...), [$g['a'], $g['b'][1], $g['holder']]));
var_dump(count($ids) === count(array_unique($ids)));
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
each fetch makes new ones, with ids of their own
bool(false)
bool(true)
int(8)
string(3) "one"
string(3) "one"
string(3) "one"
bool(true)
