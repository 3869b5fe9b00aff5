--TEST--
larder: compat_apcu: apcu_entry() gives what the callback returned even where it cannot be stored
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

set_error_handler(function (int $level, string $text) { echo $level === E_WARNING ? 'warned ' : "level $level ", "\n"; return true; });
show(apcu_entry('expired', fn() => 'value', -1), apcu_exists('expired'));
show(apcu_entry('stored meanwhile', fn($key) => apcu_store($key, 'theirs') ? 'mine' : null), apcu_fetch('stored meanwhile'));
show(apcu_entry('deleted meanwhile', function ($key) { apcu_store($key, 1); apcu_delete($key); return 2; }), apcu_fetch('deleted meanwhile'));
show(apcu_entry('cleared meanwhile', function ($key) { apcu_clear_cache(); return 3; }), apcu_fetch('cleared meanwhile'), apcu_exists('expired'));
show(apcu_entry('ttl', fn() => 1, 100), apcu_key_info('ttl')['ttl'], apcu_entry('ttl', fn() => 2, 5), apcu_key_info('ttl')['ttl']);
$object = new ArrayObject([1]);
var_dump(apcu_entry('object', fn() => $object) === $object, apcu_entry('object', fn() => null) == $object, apcu_entry('object', fn() => null) === $object);
--EXPECT--
"value" false 
"mine" "theirs" 
2 2 
3 3 false 
1 100 1 100 
bool(true)
bool(true)
bool(false)
