--TEST--
larder: ops: entries of cleared pools are in no list and no sum of an Inspector, and take no place in a list with a limit
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\{Inspector, VolatileCache as V};

$users = V::pool('users');
for ($round = 1; $round <= 3; $round++) {
    for ($i = 0; $i < 20; $i++) {
        $users->set("old $i", str_repeat('x', 1000));
    }
    $users->clear();
}
V::pool('other')->set('old', 1);
V::pool('other')->clear();
foreach (['a' => 100, 'b' => 200, 'c' => 300] as $key => $size) {
    V::set($key, str_repeat($key, $size));
    $users->set($key, str_repeat($key, $size + 50));
}
$store = Inspector::own('volatile');
$name = fn(array $entry): string => "$entry[pool]/$entry[key]";
$sorted = function (array $list): string {
    sort($list);
    return json_encode($list, JSON_UNESCAPED_SLASHES);
};

echo "-- entries\n";
echo json_encode(array_map($name, $store->entries('', 'size', 4)), JSON_UNESCAPED_SLASHES), "\n";
echo json_encode(array_map($name, $store->entries('', 'key', 2, 'users')), JSON_UNESCAPED_SLASHES), "\n";
echo count($store->entries('', 'age', 6)), ' ', count($store->entries('', '', 5)), ' ', count($store->entries()), ' ', count($store->entries('old')), "\n";
echo "-- keys\n";
echo $sorted($store->keys('', 0, null, true)), "\n";
echo count($store->keys('', 5)), ' ', $sorted($store->keys('', 0, 'users')), ' ', count($store->keys('', 0, 'other')), "\n";
echo "-- totals\n";
$totals = $store->totals();
ksort($totals);
echo json_encode(array_map(fn(array $total): int => $total['entries'], $totals)), "\n";
$bytes = fn(?string $pool): int => array_sum(array_column(array_filter($store->entries(), fn(array $entry): bool => $entry['pool'] === $pool), 'bytes'));
var_dump($totals['users']['bytes'] === $bytes('users'), $totals['']['bytes'] === $bytes(null));
echo json_encode($store->totals('old')), "\n";
?>
--EXPECT--
-- entries
["users/c","/c","users/b","/b"]
["users/a","users/b"]
6 5 6 0
-- keys
["a","b","c","users/a","users/b","users/c"]
5 ["a","b","c"] 0
-- totals
{"":3,"users":3}
bool(true)
bool(true)
{"":{"entries":0,"bytes":0}}
