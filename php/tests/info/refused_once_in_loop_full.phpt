--TEST--
larder: queue: a full store counts a push that waits in the function of waitWith() once, and logs it only if it found no room in the end
--EXTENSIONS--
larder
--INI--
larder.queue_size=4M
log_errors=1
--FILE--
<?php
use Larder\Inspector;
use Larder\Queue;

$log = __DIR__ . '/refused_once_in_loop_full.log';
ini_set('error_log', $log);
$refused = fn() => Inspector::own('queue')->stats()['refused'];
$body = str_repeat('x', 20000);
$much = Queue::open('much');
Larder\waitWith(null);
ini_set('log_errors', 0);
while ($much->push($body) !== null);
ini_set('log_errors', 1);
$before = $refused();
Larder\waitWith(fn() => $much->pop()?->ack());
var_dump($much->push($body, wait: 60) !== null, $refused() - $before, file_exists($log));
Larder\waitWith(null);
ini_set('log_errors', 0);
while ($much->push($body) !== null);
ini_set('log_errors', 1);
$before = $refused();
$before_queue = $much->info()->refused;
Larder\waitWith(fn(float $seconds) => usleep((int) ($seconds * 1e6)));
var_dump($much->push($body, wait: 0.05), $refused() - $before, $much->info()->refused - $before_queue, file_exists($log));
?>
--CLEAN--
<?php @unlink(__DIR__ . '/refused_once_in_loop_full.log');
?>
--EXPECT--
bool(true)
int(0)
bool(false)
NULL
int(1)
int(1)
bool(true)
