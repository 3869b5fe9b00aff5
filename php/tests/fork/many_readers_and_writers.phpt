--TEST--
larder: fork: readers always see whole values while others write
--EXTENSIONS--
larder
--INI--
larder.volatile_size=1M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

function value($n) { return ['n' => $n, 'list' => array_fill(0, $n % 100, $n), 'text' => str_repeat((string) ($n % 10), $n % 2000), 'map' => ["k$n" => $n]]; }
$pids = [];
for ($c = 0; $c < 2; $c++) if (($pids[] = pcntl_fork()) === 0) { mt_srand($c); $end = microtime(true) + 2; while (microtime(true) < $end) { $n = mt_rand(0, 5000); VolatileCache::set('k' . $n % 50, value($n)); if ($n % 10 === 0) VolatileCache::delete('k' . mt_rand(0, 49)); } exit(0); }
for ($c = 0; $c < 2; $c++) if (($pids[] = pcntl_fork()) === 0) { $bad = $hits = 0; $end = microtime(true) + 2; while (microtime(true) < $end || ($hits <= 100 && microtime(true) < $end + 60)) { $v = VolatileCache::get('k' . mt_rand(0, 49)); if ($v !== null) { $hits++; if ($v !== value($v['n'])) $bad++; } } exit($bad ? 1 : ($hits > 100 ? 0 : 2)); }
foreach ($pids as $pid) { pcntl_waitpid($pid, $s); echo $s, ' '; }
echo "\n";
--EXPECT--
0 0 0 0
