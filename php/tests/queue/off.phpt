--TEST--
larder: queue: opening one where queues are off says why
--EXTENSIONS--
larder
--INI--
larder.queue_size=0
--FILE--
<?php
use Larder\Queue;

try {
    Queue::open('work');
} catch (Larder\StaticCacheException $e) {
    echo $e->getMessage(), "\n";
}
var_dump(Queue::names());
--EXPECT--
Queues are off: larder.queue_size is 0
array(0) {
}
