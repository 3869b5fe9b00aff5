--TEST--
larder: compat_apcu: apc.use_request_time can be set at run time, which programs do, and no other directive
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

foreach (ini_get_all('apcu') as $name => $directive) {
    $was = ini_get($name);
    $set = @ini_set($name, '1');
    if ($set !== false) { echo "$name: "; var_dump($set, ini_get($name)); ini_restore($name); }
    if (ini_get($name) !== $was) echo "$name changed\n";
}
show(ini_get('apc.shm_size'), ini_get('apc.no_such'), apcu_store('k', 1));
ini_set('apc.use_request_time', '1');
show(apcu_store('short', 1, 1), apcu_exists('short'));
sleep(3);
show(apcu_exists('short')); /* expiry is exact, whatever the setting says */
--EXPECT--
apc.use_request_time: string(1) "0"
string(1) "1"
"32M" false true 
true true 
false 
