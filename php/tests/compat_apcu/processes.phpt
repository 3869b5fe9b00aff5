--TEST--
larder: compat_apcu: forked processes and later requests see one cache
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

apcu_store('from parent', ['a' => [1, 2]]);
apcu_store(['n' => 0, 'to be deleted' => 1]);
for ($c = 0; $c < 4; $c++) if (!($pids[] = pcntl_fork())) {
    for ($i = 0; $i < 500; $i++) { apcu_inc('n'); apcu_store("child $c", ['i' => $i] + apcu_fetch('from parent')); }
    apcu_delete('to be deleted');
    posix_kill(getmypid(), SIGKILL);
}
foreach ($pids as $pid) pcntl_waitpid($pid, $status);
for ($c = 0; $c < 4; $c++) show(apcu_fetch("child $c"));
show(apcu_fetch('n'), apcu_exists('to be deleted'), apcu_cache_info(true)['num_entries']);
--EXPECT--
{"i":499,"a":[1,2]} 
{"i":499,"a":[1,2]} 
{"i":499,"a":[1,2]} 
{"i":499,"a":[1,2]} 
2000 false 6 
