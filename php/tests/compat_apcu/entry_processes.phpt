--TEST--
larder: compat_apcu: apcu_entry() blocks only callers of the same key
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

apcu_store('calls', 0);
$start = microtime(true);
for ($i = 0; $i < 4; $i++) {
    if (pcntl_fork() === 0) {
        $value = apcu_entry('slow', function () { apcu_inc('calls'); for ($i = 0; $i < 8000 && !apcu_exists('go on'); $i++) usleep(1000); usleep(200000); return 'computed by one'; });
        apcu_inc($value === 'computed by one' ? 'good' : 'bad');
        exit;
    }
}
while (apcu_fetch('calls') === 0) usleep(1000);
show(apcu_entry('other', fn() => 'at once'), apcu_store('slow other', 1), apcu_exists('slow'));
apcu_store('go on', 1);
while (pcntl_wait($status) > 0);
show(apcu_fetch('calls'), apcu_fetch('good'), apcu_exists('bad'), apcu_fetch('slow'));

for ($try = 1; $try <= 5; $try++) { /* waiting for the dead process would take 10 s in each try; a stall of the machine delays only one try */
    $pid = pcntl_fork();
    if ($pid === 0) { apcu_entry("deadly$try", function () use ($try) { apcu_store("started$try", 1); sleep(60); }); exit; }
    while (!apcu_exists("started$try")) usleep(1000);
    posix_kill($pid, SIGKILL);
    $start = microtime(true);
    $got = apcu_entry("deadly$try", fn() => 'mine');
    $quick = microtime(true) - $start < 9;
    pcntl_waitpid($pid, $status);
    if ($quick) break;
}
show($got, $quick);

/* An exception. */
try { apcu_entry('failing', function () { throw new Exception; }); } catch (Exception) {}
apcu_entry('done', fn() => 1); apcu_delete('done');
$pid = pcntl_fork();
if ($pid === 0) {
    $start = microtime(true);
    show(apcu_entry('failing', fn() => 'other'), apcu_entry('done', fn() => 2), microtime(true) - $start < 9);
    exit;
}
pcntl_waitpid($pid, $status);

/* exit() in the callback. */
$pid = pcntl_fork();
if ($pid === 0) { apcu_entry('left', function () { exit(3); }); }
pcntl_waitpid($pid, $status);
show(pcntl_wexitstatus($status), apcu_entry('left', fn() => 'mine'));
--EXPECT--
"at once" true false 
1 4 false "computed by one" 
"mine" true 
"other" 2 true 
3 "mine" 
