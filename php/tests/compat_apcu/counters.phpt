--TEST--
larder: compat_apcu: num_hits, num_misses, num_inserts and num_entries count as in APCu
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
function counts(string $what, callable $call): void
{
    $names = ['num_hits' => 1, 'num_misses' => 1, 'num_inserts' => 1, 'num_entries' => 1];
    $before = apcu_cache_info(true);
    $call();
    $after = apcu_cache_info(true);
    echo str_pad($what, 20), implode(' ', array_map(fn($name) => $after[$name] - $before[$name], array_keys($names))), "\n";
}
counts('store', fn() => apcu_store('a', 'one'));
counts('store again', fn() => apcu_store('a', 'two'));
counts('store several', fn() => apcu_store(['b' => 1, 'c' => 2, 'a' => 'three']));
counts('add', fn() => apcu_add('d', 1));
counts('add again', fn() => apcu_add('d', 2));
counts('fetch', fn() => apcu_fetch('a'));
counts('fetch a miss', fn() => apcu_fetch('none'));
counts('fetch several', fn() => apcu_fetch(['a', 'b', 'none']));
counts('exists', fn() => apcu_exists(['a', 'none']));
counts('inc', fn() => apcu_inc('b'));
counts('inc of a new one', fn() => apcu_inc('new'));
counts('inc of a string', fn() => apcu_inc('a'));
counts('cas', fn() => apcu_cas('b', 2, 3) && !apcu_cas('none', 1, 2));
counts('entry', fn() => apcu_entry('e', fn() => 1));
counts('entry again', fn() => apcu_entry('e', fn() => 1));
counts('delete', fn() => apcu_delete(['e', 'none']));
counts('key_info', fn() => apcu_key_info('a') && apcu_key_info('none'));
counts('iterator', fn() => iterator_to_array(new APCUIterator));
--EXPECT--
store               0 0 1 1
store again         0 0 1 0
store several       0 0 3 2
add                 0 0 1 1
add again           0 0 0 0
fetch               1 0 0 0
fetch a miss        0 1 0 0
fetch several       2 1 0 0
exists              0 0 0 0
inc                 0 0 0 0
inc of a new one    0 0 1 1
inc of a string     0 0 0 0
cas                 0 0 0 0
entry               0 1 1 1
entry again         1 0 0 0
delete              0 0 0 -1
key_info            0 0 0 0
iterator            0 0 0 0
