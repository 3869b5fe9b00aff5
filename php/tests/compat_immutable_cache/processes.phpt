--TEST--
larder: immutable_cache: processes share it; one add wins; entries that a dead process used stay
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
immutable_cache_add('start', range(0, 4999));
function child(callable $work) { $pid = pcntl_fork(); if ($pid === 0) { $work(); posix_kill(posix_getpid(), SIGKILL); } return $pid; }
$pids = [];
for ($c = 0; $c < 8; $c++)
    $pids[] = child(function () use ($c) {
        $start = immutable_cache_fetch('start');
        for ($i = 0; $i < 300; $i++) {
            if (immutable_cache_add("key $i", ['by' => $c, 'data' => $start])) immutable_cache_add("won $c $i", immutable_cache_fetch("key $i"));
            immutable_cache_add("alias $c $i", $start);
        }
    });
foreach ($pids as $pid) pcntl_waitpid($pid, $status);
$won = 0; $good = true; $start = range(0, 4999);
for ($i = 0; $i < 300; $i++) {
    $entry = immutable_cache_fetch("key $i");
    for ($c = 0; $c < 8; $c++) {
        $mine = immutable_cache_fetch("won $c $i", $found);
        $won += $found;
        if ($found) $good = $good && $mine === $entry && $entry['by'] === $c;
        $good = $good && immutable_cache_fetch("alias $c $i") === immutable_cache_fetch('start');
    }
    $good = $good && $entry['data'] === $start;
}
var_dump($won, $good, immutable_cache_cache_info(true)['num_entries']);
--EXPECT--
int(300)
bool(true)
int(3001)
