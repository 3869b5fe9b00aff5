--TEST--
larder: queue: a full queue gives null at once, after $wait, and leaves the others alone
--EXTENSIONS--
larder
--INI--
larder.queue_size=4M
log_errors=1
--FILE--
<?php
use Larder\Queue;
use Larder\VolatileCache;

$log = __DIR__ . '/full.log';
ini_set('error_log', $log);
$two = Queue::open('two', 2);
var_dump(count($two->pushMany([1, 2, 3])), $two->push(4), file_exists($log)); // this queue is meant to be full, so nothing is logged
$q = Queue::open('much');
for ($n = 0; $q->push(str_repeat('x', 20000)) !== null; $n++);
var_dump($n > 100, $q->info()->refused, preg_match('/the queue store refuses values: it is full .*the queue has \d+ bytes/', file_get_contents($log)));
ini_set('log_errors', 0);
$other = Queue::open('other');
var_dump($other->push(str_repeat('y', 20000)) !== null, VolatileCache::set('k', 1), $other->pop()->ack());
$started = hrtime(true);
var_dump($q->push(str_repeat('x', 20000), wait: 0.2), hrtime(true) - $started >= 190e6);

$small = Queue::open('small', 2);
var_dump(count($small->pushMany(['a', 'b', 'c'])), $small->info()->capacity);
$small->pop()->ack();
var_dump($small->push('d') !== null, $small->push('e'));
var_dump($q->push(str_repeat('x', 3 << 20))); // larger than half of the store
for ($i = 0; $i < $n; $i++) {
    $q->pop()->ack();
}
var_dump($q->info()->bytes, $q->push('again') !== null);
?>
--CLEAN--
<?php @unlink(__DIR__ . '/full.log');
?>
--EXPECTF--
int(2)
NULL
bool(false)
bool(true)
int(1)
int(1)
bool(true)
bool(true)
bool(true)
NULL
bool(true)
int(2)
int(2)
bool(true)
NULL

Warning: Larder\Queue::push(): A value is larger than half of the store; raise larder.queue_size in %s on line %d
NULL
int(0)
bool(true)
