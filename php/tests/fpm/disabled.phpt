--TEST--
larder: fpm: with larder.enable=0 in php.ini the master takes no descriptors and logs that, and a pool that asks for its own is told; one that is off says so
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$memory = fn (int $pid): int => count(preg_grep('/memfd:larder/', array_map(fn ($fd) => (string) @readlink($fd), glob("/proc/$pid/fd/*"))));
foreach (['1', '0'] as $enable) {
    $fpm = fpm(['www' => [], 'on' => ['php_admin_flag[larder.enable]' => 'on'], 'off' => ['php_admin_flag[larder.enable]' => 'off']], ["larder.enable=$enable"]);
    echo "-- larder.enable = $enable\nmemory in the master: ", $memory($fpm->pid) > 0 ? 'some' : 'none', "\n";
    foreach (['www', 'on', 'off'] as $pool) {
        echo "$pool: ", $fpm->run($pool, 'echo json_encode([V::set("k", 1), V::info()->failure_reason]), "\n";');
        $fpm->run($pool, 'V::get("k");');
        echo rtrim($fpm->said($pool) . "\n" . substr_count($fpm->log($pool), 'Larder is off')), " lines\n";
    }
    $master = $fpm->log('stderr') . $fpm->log('master') . $fpm->log('master-php');
    preg_match_all('/Larder is off.*/', $master, $said);
    echo 'master: ', json_encode($said[0]), "\n";
    $fpm->stop();
}
?>
--EXPECT--
-- larder.enable = 1
memory in the master: some
www: [true,null]

0 lines
on: [true,null]

0 lines
off: [false,"larder.enable is 0"]
Larder is off in this worker: larder.enable is 0
1 lines
master: []
-- larder.enable = 0
memory in the master: none
www: [false,"larder.enable is 0"]

0 lines
on: [false,"larder.enable is 0 in php.ini, so FPM has prepared no memory for its pools"]
Larder is off in this worker: larder.enable is 0 in php.ini, so FPM has prepared no memory for its pools
1 lines
off: [false,"larder.enable is 0"]

0 lines
master: ["Larder is off: larder.enable is 0"]
