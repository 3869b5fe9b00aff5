--TEST--
larder: array: writing to a fetched array copies it, at every level
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$value = ['list' => [1, 2, 3], 'map' => ['a' => ['b' => 'c']], 's' => 'text'];
VolatileCache::set('k', $value);
$got = VolatileCache::get('k');
$got['list'][] = 4; $got['map']['a']['b'] .= 'd'; $got['s'][0] = 'T'; unset($got['map']['a']['none']); $got['new'] = 1;
$ref = &$got['map']['a']; $ref['x'] = 'y';
foreach ($got['list'] as &$item) $item *= 2;
unset($item);
echo json_encode($got), "\n", json_encode(VolatileCache::get('k')), "\n";
$again = VolatileCache::get('k');
sort($again['list']); array_push($again['list'], 9); array_splice($again['map'], 0, 1); shuffle($again['list']);
var_dump(VolatileCache::get('k') === $value);
function by_ref(array &$a) { $a['list'] = []; array_walk_recursive($a, function (&$v) { $v = 0; }); }
$third = VolatileCache::get('k'); by_ref($third);
var_dump(VolatileCache::get('k') === $value);
--EXPECT--
{"list":[2,4,6,8],"map":{"a":{"b":"cd","x":"y"}},"s":"Text","new":1}
{"list":[1,2,3],"map":{"a":{"b":"c"}},"s":"text"}
bool(true)
bool(true)
