--TEST--
larder: immutable_cache: a server loads before its first request runs, whatever that one's memory_limit
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip();
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
foreach (['one', 'two'] as $name) {
    $folders[$name] = sys_get_temp_dir() . "/larder-preload-$name-" . getmypid(); mkdir($folders[$name]); chmod($folders[$name], 0755);
    register_shutdown_function(function ($folder) { array_map('unlink', glob("$folder/*")); rmdir($folder); }, $folders[$name]);
    file_put_contents("$folders[$name]/$name.data", serialize(str_repeat($name, 4 << 20)));
    file_put_contents("$folders[$name]/object.data", 'O:11:"ArrayObject":4:{i:0;i:0;i:1;a:1:{i:0;s:' . strlen($name) . ":\"$name\";}i:2;a:0:{}i:3;N;}");
}
$fpm = fpm(['one' => ['php_admin_value[immutable_cache.preload]' => $folders['one'], 'php_admin_value[memory_limit]' => '6M'],
    'two' => ['php_admin_value[immutable_cache.preload]' => $folders['one'], 'php_admin_value[immutable_cache.preload_path]' => $folders['two']]], ['larder.compat' => 'immutable_cache']);
foreach (['one', 'two'] as $pool) {
    echo "$pool: ", $fpm->run($pool, 'echo ini_get_all(null, false)["memory_limit"] === "6M" ? "6M " : "", strlen(immutable_cache_fetch("one")), " ", strlen((string) immutable_cache_fetch("two")), " ", immutable_cache_fetch("object")[0], " "; ini_set("memory_limit", "6M"); echo ini_get_all(null, false)["memory_limit"], "\n";');
    if ($pool === 'one') { /* a file that appears after the first request is not loaded */
        file_put_contents("$folders[one]/late.data", serialize('late'));
        var_dump(trim($fpm->run('one', 'var_dump(immutable_cache_exists("late"));')));
        unlink("$folders[one]/late.data");
    }
}
$fpm = null;
$gone = sys_get_temp_dir() . '/larder-preload-gone-' . getmypid(); mkdir($gone); chmod($gone, 0777);
file_put_contents("$gone/k.data", serialize('was there'));
$fpm = fpm(['one' => ['php_admin_value[immutable_cache.preload]' => $gone]], ['larder.compat' => 'immutable_cache']);
/* The first request removes the file before it uses the cache. */
echo $fpm->run('one', "unlink('$gone/k.data'); var_dump(file_exists('$gone/k.data'), immutable_cache_fetch('k'));");
rmdir($gone);
--EXPECT--
one: 6M 12582912 0 one 6M
string(11) "bool(false)"
two: 12582912 12582912 one 6M
bool(false)
string(9) "was there"
