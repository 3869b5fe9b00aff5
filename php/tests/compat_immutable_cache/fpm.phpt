--TEST--
larder: immutable_cache: fpm: each pool has its entries, size and preloaded folder, and its workers share them
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
require __DIR__ . '/../include/fpm.php'; fpm_skip();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
$folder = sys_get_temp_dir() . '/larder-preload-' . getmypid(); mkdir($folder); chmod($folder, 0755);
register_shutdown_function(function () use ($folder) { array_map('unlink', glob("$folder/*")); rmdir($folder); });
file_put_contents("$folder/config.data", serialize(['from' => 'folder']));
file_put_contents("$folder/bad.data", 'bad');
$fpm = fpm([
    'one' => ['php_admin_value[immutable_cache.preload_path]' => $folder, 'pm.max_children' => 3],
    'two' => ['php_admin_value[immutable_cache.shm_size]' => '4M'],
    'off' => ['php_admin_value[immutable_cache.enabled]' => '0'],
], ['larder.compat' => 'immutable_cache', 'immutable_cache.enable_cli' => 0]);
$show = 'var_dump(immutable_cache_enabled(), @immutable_cache_sma_info(true)["seg_size"] ?? null, immutable_cache_fetch("config"));';
foreach (['one', 'two', 'off'] as $pool) echo "-- $pool\n", $fpm->run($pool, $show);
echo str_replace($folder, 'FOLDER', $fpm->said('one')), "\n";
$pids = [];
for ($i = 0; $i < 6; $i++) {
    [$pid, $got] = json_decode($fpm->run('one', 'immutable_cache_add("pid", getmypid()); echo json_encode([getmypid(), immutable_cache_fetch("pid")]);'));
    $pids[$got] = true;
}
echo count($pids), ' ', $fpm->run('two', 'var_dump(immutable_cache_exists("pid"));');
--EXPECT--
-- one
bool(true)
int(268435456)
array(1) {
  ["from"]=>
  string(6) "folder"
}
-- two
bool(true)
int(4194304)
bool(false)
-- off
bool(false)
NULL
bool(false)
Larder: immutable_cache.preload_path: FOLDER/bad.data: not the text of one serialized value (wrong at byte 0 of 3)
1 bool(false)
