--TEST--
larder: compat_apcu: apcu_delete() removes one key or several
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

apcu_store(['a' => 1, 'b' => 2, 'c' => 3]);
show(apcu_delete('a'), apcu_delete('a'), apcu_exists('a'));
show(apcu_delete(['b', 'none', 'c', 'none2']), apcu_exists(['b', 'c']), apcu_delete([]), apcu_delete(['x' => 'none']));
apcu_store('a', 1);
show(apcu_clear_cache(), apcu_exists('a'), apcu_clear_cache());
--EXPECT--
true false false 
["none","none2"] [] [] ["none"] 
true false true 
