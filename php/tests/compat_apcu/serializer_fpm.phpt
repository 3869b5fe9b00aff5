--TEST--
larder: compat_apcu: fpm: each pool has the apc.serializer of its own
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/ours.inc';
fpm_skip();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
$fpm = fpm(['shared' => [], 'compact' => ['php_admin_value[apc.serializer]' => 'php', 'php_admin_value[immutable_cache.serializer]' => 'php'], 'default' => ['php_admin_value[apc.serializer]' => 'default']], ['larder.compat' => 'apcu, immutable_cache']);
foreach (['shared', 'compact', 'default'] as $pool)
    echo "$pool: ", $fpm->run($pool, '$v = range(1, 1000); apcu_store("k", $v); immutable_cache_add("k", $v); $text = strlen(serialize($v)); $is = fn($size) => abs($size - $text) < 64 ? "text" : ($size > 16000 ? "array" : $size);
        echo ini_get_all(null, false)["apc.serializer"], " ", $is(apcu_cache_info()["cache_list"][0]["mem_size"]), " ", $is(immutable_cache_cache_info()["cache_list"][0]["mem_size"]), " ", apcu_fetch("k") === $v ? "right" : "wrong", "\n";');
--EXPECT--
shared: php array array right
compact: php text text right
default: default array array right
