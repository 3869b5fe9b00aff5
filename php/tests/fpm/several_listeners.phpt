--TEST--
larder: fpm: a worker whose pool cannot be told does without a store
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$show = 'var_dump(V::set("k", 1), V::get("k"), P::set("k", 1), V::info()->available, V::info()->failure_reason);';

/* FPM inherits a second socket, and its workers inherit it from FPM. */
$second = stream_socket_server('tcp://127.0.0.1:0');
$fpm = fpm(['www' => ['pm.max_children' => 2]], [], [9 => $second]);
for ($i = 0; $i < 3; $i++) {
    $answer = $fpm->run('www', $show);
}
echo $answer, $fpm->said('www'), "\n";
$times = substr_count($fpm->log('www'), 'Larder is off');
var_dump($times >= 1 && $times <= 2); /* each of the two workers logs the message once, when it serves a request */
echo $fpm->run('www', 'echo count(preg_grep("/memfd:larder/", array_map(fn ($fd) => (string) @readlink("/proc/self/fd/$fd"), range(0, 1023)))), "\n";');
--EXPECT--
bool(false)
NULL
bool(false)
bool(false)
string(93) "the pool of this worker cannot be told: it has several listening sockets, and one is required"
Larder is off in this worker: the pool of this worker cannot be told: it has several listening sockets, and one is required
bool(true)
0
