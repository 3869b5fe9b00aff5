--TEST--
larder: ops: a size as people write it is answered with the one to write; words for on and off are known; layers in capitals
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
foreach (['1GB', '64mb', '2 GiB', '12Q', '5', '1G5'] as $size) {
    echo ops_php('-d ' . escapeshellarg("larder.volatile_size=\"$size\""), '');
}
foreach (['2097152 ', ' 2M ', '2097152'] as $size) {
    echo ops_php('-d ' . escapeshellarg("larder.volatile_size='$size'"), 'echo V::info()->configured_memory, "\n";');
}
echo ops_php('-d larder.volatile_size=1T', 'var_dump(V::set("k", 1));');
foreach (['"ON"', '"true"', '"Yes"', 'on', '"off"', '"0"', '"maybe"'] as $word) {
    echo $word, ' ', ops_php('-d ' . escapeshellarg("larder.enable=$word"), 'echo json_encode(V::set("k", 1)), ". ", V::info()->failure_reason ?? "on", "\n";');
}
echo ops_php('-d larder.compat=APCu,Immutable_Cache', 'var_dump(function_exists("apcu_fetch"), extension_loaded("immutable_cache"));');
--EXPECTF--
Warning: larder.volatile_size = "1GB": must be 0 or a size from 1M to 1T: write 1G; the volatile store is off in Unknown on line 0
Warning: larder.volatile_size = "64mb": must be 0 or a size from 1M to 1T: write 64M; the volatile store is off in Unknown on line 0
Warning: larder.volatile_size = "2 GiB": must be 0 or a size from 1M to 1T: write 2G; the volatile store is off in Unknown on line 0
Warning: larder.volatile_size = "12Q": must be 0 or a size from 1M to 1T; the volatile store is off in Unknown on line 0
Warning: larder.volatile_size = "5": must be 0 or a size from 1M to 1T; the volatile store is off in Unknown on line 0
Warning: larder.volatile_size = "1G5": must be 0 or a size from 1M to 1T; the volatile store is off in Unknown on line 0
2097152
2097152
2097152
Larder: the volatile store is off: LRD_ENOSPC: %sa store of 1048576 MiB does not fit the %d MiB of %s has; lower larder.volatile_size
bool(false)
"ON" true. on
"true" true. on
"Yes" true. on
on true. on
"off" false. larder.enable or larder.enable_cli is 0
"0" false. larder.enable or larder.enable_cli is 0
"maybe" Warning: larder.enable = "maybe": must be on or off; Larder is off in Unknown on line 0
false. larder.enable = "maybe": must be on or off
bool(true)
bool(true)
