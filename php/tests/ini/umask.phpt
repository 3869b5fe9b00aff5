--TEST--
larder: ini: a named store's folder has the rights that its owner needs, whatever the umask
--EXTENSIONS--
larder
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$dir = sys_get_temp_dir() . '/larder-umask-' . getmypid();
mkdir($dir, 0700);
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$set = fn (string $umask) => trim((string) shell_exec("umask $umask; $php -n -d extension=$so -d larder.path=$dir -d larder.volatile_size=2M -r 'var_dump(Larder\\VolatileCache::set(\"a\", 1));' 2>&1"));
$mode = function () use ($dir): string { clearstatcache(); return sprintf('%o', fileperms(glob("$dir/larder-*")[0]) & 0777); };

echo 'umask 0177: ', $set('0177'), ' ', $mode(), "\n";
chmod(glob("$dir/larder-*")[0], 0600);
echo 'left so by another release: ', $set('0022'), ' ', $mode(), "\n";
echo 'umask 0277, before others: ', (function () use ($dir, $set): string {
    array_map('unlink', glob("$dir/larder-*/*"));
    return $set('0277') . ' ' . $set('0022');
})(), "\n";
array_map('unlink', glob("$dir/larder-*/*")); array_map('rmdir', glob("$dir/larder-*")); rmdir($dir);
?>
--EXPECT--
umask 0177: bool(true) 700
left so by another release: bool(true) 700
umask 0277, before others: bool(true) bool(true)
