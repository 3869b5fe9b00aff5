--TEST--
larder: fpm: a pool's size of a named store counts like php.ini's: the store is made anew when no process uses it, else a warning says so
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip('www-data'); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$dir = sys_get_temp_dir() . '/larder-said-' . getmypid();
mkdir($dir);
chmod($dir, 0777);
$pool = fn (string $size) => fpm(['www' => ['php_admin_value[larder.volatile_size]' => $size]], ['larder.scope=said', "larder.path=$dir"]);
$use = function (Fpm $fpm) use ($dir): void {
    echo $fpm->run('www', 'V::set("a", 1); echo V::info()->configured_memory >> 20, "M\n";'), str_replace($dir, 'DIR', $fpm->said('www')), "\n";
};
foreach (['8M', '16M'] as $size) {
    echo "pool: $size, store: ";
    $use($fpm = $pool($size));
    $fpm->stop();
}
($first = $pool('16M'))->run('www', 'V::set("b", 1);');
echo 'pool: 8M, while another uses it: ';
$use($second = $pool('8M'));
$first->stop();
$second->stop();
array_map('unlink', glob("$dir/larder-*/*"));
array_map('rmdir', glob("$dir/larder-*"));
rmdir($dir);
?>
--EXPECTF--
pool: 8M, store: 8M

pool: 16M, store: 16M
Larder: the volatile store: DIR/larder-%d/said-volatile: was replaced by an empty store, as no process used it: size 8388608, the options ask for 16777216
pool: 8M, while another uses it: 16M
Larder: the volatile store DIR/larder-%d/said-volatile has 16M, larder.volatile_size = 8M here (fpm-fcgi): it keeps its size while a process uses it; restart all that use it, or remove its file, or make larder.volatile_size equal
