--TEST--
larder: queue: a full queue gives null at once, after $wait, and leaves the others alone
--EXTENSIONS--
larder
--INI--
larder.queue_size=4M
--FILE--
<?php
use Larder\Queue;
use Larder\VolatileCache;

$q = Queue::open('much');
for ($n = 0; $q->push(str_repeat('x', 20000)) !== null; $n++);
var_dump($n > 100, $q->info()->refused);
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
--EXPECTF--
bool(true)
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
