--TEST--
larder: compat_apcu: apc.preload_path is loaded by the process that makes the store only
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
apc.preload_path={PWD}/preload
error_log=/dev/null
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
function run(callable $f): void { if (($pid = pcntl_fork()) === 0) { $f(); exit; } pcntl_waitpid($pid, $status); }
run(function () { var_dump(apcu_exists('number'), apcu_delete('number'), apcu_exists('list')); });
run(function () { var_dump(apcu_exists('number'), apcu_exists('list')); });
var_dump(apcu_exists('number'), apcu_exists('list'));
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
