--TEST--
larder: queue: within a priority, messages go in the order in which they became ready; a delayed or kicked message goes behind the ready messages
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

$queue = Queue::open('order');
function all(Queue $queue): string
{
    for ($bodies = []; $message = $queue->pop(); $message->ack()) {
        $bodies[] = $message->body;
    }
    return implode(' ', $bodies);
}
function push(Queue $queue, string ...$bodies): void
{
    foreach ($bodies as $body) {
        $queue->push($body);
    }
}
push($queue, 'a', 'b', 'c');
$queue->pop()->release();
echo 'released: ', all($queue), "\n";

push($queue, 'a', 'b', 'c');
$queue->pop()->release(0.05);
usleep(100000);
$queue->push('d');
echo 'released with a delay: ', all($queue), "\n";

/* The three pushes must take less time than the delay of b. If the machine is busy, try again with longer delays. */
for ($delay = 0.05; $delay < 100; $delay *= 2) {
    $start = hrtime(true);
    $queue->push('a', delay: 2 * $delay);
    $queue->push('b', delay: $delay);
    $queue->push('c');
    $took = (hrtime(true) - $start) / 1e9;
    usleep((int) ($delay * 3e6));
    $queue->push('d');
    $order = all($queue);
    if ($took < $delay) break;
}
echo "delayed: $order\n";

push($queue, 'a', 'b', 'c', 'd', 'e');
[$a, $b, $c] = $queue->popMany(3);
foreach ([$b, $c, $a] as $message) {
    $message->bury();
}
var_dump($queue->kick(2));
$queue->push('f');
echo 'kicked: ', all($queue), "\n";
$queue->kick();
echo all($queue), "\n";

foreach (['a' => 0, 'b' => 1, 'c' => 0, 'd' => 1, 'e' => -1] as $body => $priority) {
    $queue->push($body, priority: $priority);
}
foreach ($queue->popMany(5) as $message) {
    $message->bury();
}
$queue->kick();
echo 'priorities: ', all($queue), "\n";
?>
--EXPECT--
released: a b c
released with a delay: b c a d
delayed: c b a d
int(2)
kicked: d e b c f
a
priorities: b d a c e
