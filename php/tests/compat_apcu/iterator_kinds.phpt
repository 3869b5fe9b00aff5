--TEST--
larder: compat_apcu: APCUIterator takes any kind of search, and refuses other arguments
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

set_error_handler(function (int $level, string $text) { echo $level === E_WARNING ? 'warned ' : "level $level ", "\n"; return true; });
function keys(mixed ...$arguments): array { $keys = array_keys(iterator_to_array(new APCUIterator(...$arguments))); sort($keys); return $keys; }
apcu_store(['a' => 1, 'b' => 2, '5' => 3]);
foreach ([null, '', 5, 1.5, true, false] as $search) show(keys($search));
show(keys(['b', 'none', 5, null, 'a', 'b']), keys([]), keys(['x' => '5']));
show(keys('/^[ab]$/', APC_ITER_KEY, 1), keys('/A/i', chunk_size: 100), keys(search: '/5/', list: APC_LIST_ACTIVE), keys(null, APC_ITER_ALL, 0, APC_LIST_DELETED));
thrown(fn() => keys('/a/', 'x'));
thrown(fn() => keys('/a/', APC_ITER_ALL, 'x'));
thrown(fn() => keys('/a/', APC_ITER_ALL, 0, 'x'));
thrown(fn() => keys('/a/', APC_ITER_ALL, 0, 1, 1));
show(keys('/a/', '4'), keys('/a/', null ?? 0));
--EXPECT--
[5,"a","b"] 
[5,"a","b"] 
[5,"a","b"] 
[5,"a","b"] 
[5,"a","b"] 
[5,"a","b"] 
["a","b"] [] [5] 
["a","b"] ["a"] [5] [] 
TypeError: APCUIterator::__construct(): Argument #2 ($format) must be of type int, string given
TypeError: APCUIterator::__construct(): Argument #3 ($chunk_size) must be of type int, string given
TypeError: APCUIterator::__construct(): Argument #4 ($list) must be of type int, string given
ArgumentCountError: APCUIterator::__construct() expects at most 4 arguments, 5 given
["a"] ["a"] 
