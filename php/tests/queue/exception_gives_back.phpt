--TEST--
larder: queue: an exception gives the message back, and the next pop() counts another attempt
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

$q = Queue::open('work');
$q->push('task');
function handle(Queue $q): void
{
    $m = $q->pop();
    throw new Exception("failed at attempt {$m->attempts}");
}
for ($i = 0; $i < 3; $i++) {
    try {
        handle($q);
    } catch (Exception $e) {
        echo $e->getMessage(), "\n";
        unset($e);
    }
}
$m = $q->pop();
var_dump($m->attempts, $m->ack(), $q->info()->redelivered, $q->pop());
?>
--EXPECT--
failed at attempt 1
failed at attempt 2
failed at attempt 3
int(4)
bool(true)
int(3)
NULL
