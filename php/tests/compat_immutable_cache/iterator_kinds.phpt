--TEST--
larder: compat_immutable_cache: ImmutableCacheIterator takes any kind of search
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

function keys(mixed ...$arguments): array { $keys = array_keys(iterator_to_array(new ImmutableCacheIterator(...$arguments))); sort($keys); return $keys; }
immutable_cache_add(['a' => 1, 'b' => [2], '5' => 'five']);
foreach ([null, '', 5, 1.5, true] as $search) show(keys($search));
show(keys(['b', 'none', 'a', 'b', null, 1.5]), keys([]), keys(['x' => '5']), keys([5]));
show(keys('/^[ab]$/', IMMUTABLE_CACHE_ITER_KEY, 1), keys('/A/i', chunk_size: 100), keys(search: '/5/', list: IMMUTABLE_CACHE_LIST_ACTIVE));
thrown(fn() => keys('/a/', 'x'));
thrown(fn() => keys('/a/', -1));
thrown(fn() => keys('/a/', IMMUTABLE_CACHE_ITER_ALL, -1));
thrown(fn() => keys('/a/', IMMUTABLE_CACHE_ITER_ALL, 0, 'x'));
thrown(fn() => keys('/a/', 1, 1, 1, 1));
$it = new ImmutableCacheIterator('/a/', IMMUTABLE_CACHE_ITER_VALUE);
show(iterator_to_array(new LimitIterator($it, 0, 1)), iterator_count($it), iterator_to_array($it));
thrown(function () use ($it) { foreach ($it as $key => &$value); });
thrown(fn() => clone $it);
--EXPECT--
[5,"a","b"] 
[5,"a","b"] 
[5,"a","b"] 
[5,"a","b"] 
[5,"a","b"] 
["a","b"] [] [5] [5] 
["a","b"] ["a"] [5] 
TypeError: ImmutableCacheIterator::__construct(): Argument #2 ($format) must be of type int, string given
ValueError: ImmutableCacheIterator::__construct(): Argument #2 ($format) must be a combination of IMMUTABLE_CACHE_ITER_*
ValueError: ImmutableCacheIterator::__construct(): Argument #3 ($chunk_size) must be greater than or equal to 0
TypeError: ImmutableCacheIterator::__construct(): Argument #4 ($list) must be of type int, string given
ArgumentCountError: ImmutableCacheIterator::__construct() expects at most 4 arguments, 5 given
{"a":{"value":1}} 1 {"a":{"value":1}} 
Error: An iterator cannot be used with foreach by reference
Error: Trying to clone an uncloneable object of class ImmutableCacheIterator
