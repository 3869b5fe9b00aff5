--TEST--
larder: compat_apcu: a key that is too long is never there
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

foreach ([65535, 65536, 1000000] as $length) {
    $key = str_repeat('k', $length);
    show($length, apcu_store($key, 1) === apcu_exists($key), apcu_fetch($key), apcu_entry($key, fn() => 'computed'), strlen(key(apcu_store([$key => 1, 'x' => 1])) ?? ''));
}
$key = "\0" . str_repeat('k', 65534);
show(apcu_store($key, 1), apcu_add($key, 1), apcu_inc($key), apcu_cas($key, 0, 1), apcu_delete($key), apcu_key_info($key));
--EXPECT--
65535 true 1 1 0 
65536 true false "computed" 65536 
1000000 true false "computed" 1000000 
false false false false false null 
