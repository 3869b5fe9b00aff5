--TEST--
larder: compat_immutable_cache: hits, misses and inserts are counted where values are fetched and added, and nowhere else
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
function counts(string $what, callable $call): void
{
    $names = ['num_hits', 'num_misses', 'num_inserts', 'num_entries'];
    $before = immutable_cache_cache_info(true);
    $call();
    $after = immutable_cache_cache_info(true);
    echo str_pad($what, 20), implode(' ', array_map(fn($name) => $after[$name] - $before[$name], $names)), "\n";
}
counts('add', fn() => immutable_cache_add('a', 'one'));
counts('add again', fn() => immutable_cache_add('a', 'two'));
counts('add several', fn() => immutable_cache_add(['b' => 1, 'c' => [2], 'a' => 3]));
counts('fetch', fn() => immutable_cache_fetch('a'));
counts('fetch a miss', fn() => immutable_cache_fetch('none'));
counts('fetch several', fn() => immutable_cache_fetch(['a', 'b', 'none']));
counts('exists', fn() => immutable_cache_exists(['a', 'none']) && immutable_cache_exists('a'));
counts('key_info', fn() => immutable_cache_key_info('a') && immutable_cache_key_info('none'));
counts('iterator', fn() => iterator_to_array(new ImmutableCacheIterator));
counts('info', fn() => immutable_cache_cache_info() && immutable_cache_sma_info());
--EXPECT--
add                 0 0 1 1
add again           0 0 0 0
add several         0 0 2 2
fetch               1 0 0 0
fetch a miss        0 1 0 0
fetch several       2 1 0 0
exists              0 0 0 0
key_info            0 0 0 0
iterator            0 0 0 0
info                0 0 0 0
