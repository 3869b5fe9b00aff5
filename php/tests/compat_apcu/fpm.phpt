--TEST--
larder: compat_apcu: each FPM pool has a cache of its own, as large as it says
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

/* Workers run as another user, which may not be able to read the folder of this test. */
$preload = sys_get_temp_dir() . '/larder-preload-' . getmypid();
mkdir($preload);
chmod($preload, 0755);
foreach (glob(__DIR__ . '/preload/*') as $file) {
    copy($file, $copy = "$preload/" . basename($file));
    chmod($copy, 0644);
}
register_shutdown_function(function () use ($preload) { array_map('unlink', glob("$preload/*")); rmdir($preload); });
$fpm = fpm([
    'large' => ['php_admin_value[apc.shm_size]' => '128M', 'pm.max_children' => 2],
    'small' => ['php_admin_value[apc.shm_size]' => '2M', 'php_admin_value[apc.preload_path]' => $preload],
    'off' => ['php_admin_flag[apc.enabled]' => 'off'],
    'bad' => ['php_admin_value[apc.shm_size]' => 'lots'],
], ['larder.compat' => 'apcu', 'apc.enable_cli' => 0]);

foreach (['large', 'small', 'off', 'bad'] as $pool) {
    echo "-- $pool\n", $fpm->run($pool, 'var_dump(apcu_enabled(), apcu_exists("list"), apcu_add("k", getmypid()), (apcu_enabled() ? apcu_sma_info(true)["seg_size"] : 0) / (1 << 20));');
    for ($i = 0; $i < 4; $i++) $seen[$pool][] = $fpm->run($pool, 'echo apcu_fetch("k");');
    echo count(array_unique($seen[$pool])), " value\n";
}
var_dump($seen['large'][0] !== $seen['small'][0]);
--EXPECT--
-- large
bool(true)
bool(false)
bool(true)
float(128)
1 value
-- small
bool(true)
bool(true)
bool(true)
float(2)
1 value
-- off
bool(false)
bool(false)
bool(false)
int(0)
1 value
-- bad
bool(true)
bool(false)
bool(true)
float(32)
1 value
bool(true)
