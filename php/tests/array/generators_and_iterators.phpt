--TEST--
larder: array: iterating a fetched array in every way
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', ['a' => 1, 'b' => [2, 3], 'c' => 4]);
$a = VolatileCache::get('k');
foreach ($a as $k => $v) echo $k; echo "\n";
foreach ($a as $k => &$v) $v = $k; unset($v); echo implode($a), "\n";
$a = VolatileCache::get('k');
echo key($a), next($a)[1], key($a), next($a), var_export(next($a), true), reset($a), end($a), "\n";
foreach (new RecursiveIteratorIterator(new RecursiveArrayIterator(VolatileCache::get('k'))) as $v) echo $v; echo "\n";
function g() { yield from VolatileCache::get('k'); }
echo count(iterator_to_array(g())), "\n";
[ 'a' => $x, 'b' => [, $y] ] = VolatileCache::get('k'); echo $x, $y, "\n";
echo json_encode([...VolatileCache::get('k')['b'], ...VolatileCache::get('k')['b']]), "\n";
$o = new ArrayObject(VolatileCache::get('k')); $o['a'] = 9; unset($o['b']); echo count($o), "\n";
$fixed = SplFixedArray::fromArray(VolatileCache::get('k')['b']); $fixed[0] = 7; echo $fixed[0], "\n";
foreach ($a as $k => $v) { if ($k === 'a') { $a['z'] = 1; unset($a['b']); } echo $k; } echo "\n";
echo json_encode(VolatileCache::get('k')), "\n";
--EXPECT--
abc
abc
a3b4false14
1234
3
13
[2,3,2,3]
2
7
abc
{"a":1,"b":[2,3],"c":4}
