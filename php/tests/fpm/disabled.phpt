--TEST--
larder: fpm: with larder.enable=0 in php.ini the master takes no descriptors, and a pool that asks for its own is told
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$memory = fn (int $pid): int => count(preg_grep('/memfd:larder/', array_map(fn ($fd) => (string) @readlink($fd), glob("/proc/$pid/fd/*"))));
foreach (['1', '0'] as $enable) {
    $fpm = fpm(['www' => [], 'on' => ['php_admin_flag[larder.enable]' => 'on']], ["larder.enable=$enable"]);
    echo "-- larder.enable = $enable\nmemory in the master: ", $memory($fpm->pid) > 0 ? 'some' : 'none', "\n";
    foreach (['www', 'on'] as $pool) {
        echo "$pool: ", $fpm->run($pool, 'echo json_encode([V::set("k", 1), V::info()->failure_reason]), "\n";'), $fpm->said($pool);
    }
    echo "\n";
    $fpm->stop();
}
?>
--EXPECT--
-- larder.enable = 1
memory in the master: some
www: [true,null]
on: [true,null]

-- larder.enable = 0
memory in the master: none
www: [false,"larder.enable is 0"]
on: [false,"larder.enable is 0 in php.ini, so FPM has prepared no memory for its pools"]
Larder is off in this worker: larder.enable is 0 in php.ini, so FPM has prepared no memory for its pools
