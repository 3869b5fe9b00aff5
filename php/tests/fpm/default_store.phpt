--TEST--
larder: fpm: without configuration a pool has a store that outlives its workers, until a reload
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$fpm = fpm(['www' => ['pm.max_children' => 2], 'short' => ['pm.max_requests' => 3], 'open' => ['process.dumpable' => 'yes']]);

echo "-- another worker\n";
$writer = (int) $fpm->run('www', 'V::set("list", range(1, 1000)); V::set("text", str_repeat("x", 5000)); P::set("pinned", ["a" => [true]]); echo getmypid();');
$read = 'echo getmypid(), " ", array_sum(V::get("list", [])), " ", strlen(V::get("text", "")), " ", json_encode(P::get("pinned"));';
$both = [];
fpm_wait(function () use ($fpm, $read, &$both) {
    [$pid, $answer] = explode(' ', $fpm->run('www', $read), 2);
    $both[$pid] = $answer;
    return count($both) === 2;
});
var_dump(isset($both[$writer]), array_unique(array_values($both)));

echo "-- all workers killed\n";
$old = $fpm->workers('www');
array_map(fn ($pid) => posix_kill($pid, SIGKILL), $old);
var_dump(fpm_wait(fn () => count($fpm->workers('www')) === 2 && !array_intersect($old, $fpm->workers('www'))));
[$pid, $answer] = explode(' ', $fpm->run('www', $read), 2);
var_dump(in_array((int) $pid, $old), $answer === $both[$writer]);

echo "-- workers that end by themselves (pm.max_requests)\n";
$pids = [];
for ($i = 0; $i < 10; $i++) {
    [$pid, $count] = explode(' ', $fpm->run('short', 'echo getmypid(), " ", V::increment("count");'));
    $pids[$pid] = true;
}
var_dump((int) $count, count($pids));

echo "-- a reload\n";
$fpm->reload();
echo $fpm->run('www', 'var_dump(V::get("list"), P::get("pinned"), V::set("list", [1]), V::get("list"));');
echo $fpm->run('short', 'var_dump(V::increment("count"));');
var_dump(count(array_filter(glob("/proc/{$fpm->pid}/fd/*"), fn ($fd) => str_contains((string) @readlink($fd), 'memfd:larder'))) % 32); /* all 32 pools have the same number of stores */

echo "-- what phpinfo() says\n";
$text = strip_tags(strtr($fpm->run('www', 'phpinfo(INFO_MODULES);'), [' </td><td' => ' => <td', '</td><td' => ' => <td', '</th><th' => ' => <th']));
preg_match_all('~^(Larder.VolatileCache|Store|larder.pools) .*~m', $text, $m);
echo implode("\n", array_unique(array_map('trim', $m[0]))), "\n";
echo $fpm->run('www', 'var_dump(V::info()->shared_model);');
var_dump(str_contains($fpm->run('open', 'phpinfo(INFO_MODULES);'), 'weak: this process is dumpable'));
var_dump($fpm->said('master-php') . $fpm->said('master') . $fpm->said('stderr') . $fpm->said('www'));
--EXPECT--
-- another worker
bool(true)
array(1) {
  [0]=>
  string(24) "500500 5000 {"a":[true]}"
}
-- all workers killed
bool(true)
bool(false)
bool(true)
-- workers that end by themselves (pm.max_requests)
int(10)
int(4)
-- a reload
NULL
NULL
bool(true)
array(1) {
  [0]=>
  int(1)
}
int(1)
int(0)
-- what phpinfo() says
Larder\VolatileCache => on
Store => of this FPM pool (www), shared by its workers only
larder.pools => 32 => 32
string(4) "pool"
bool(true)
string(0) ""
