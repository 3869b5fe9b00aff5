--TEST--
larder: queue: popMany() gives fewer messages where memory_limit leaves no room for all, and buries none
--EXTENSIONS--
larder
--FILE--
<?php
$queue = Larder\Queue::open('q');

/* Handles all messages with 2 MiB of free request memory. */
function handle(Larder\Queue $queue): void
{
    $limit = ini_get('memory_limit');
    ini_set('memory_limit', memory_get_usage(true) + (2 << 20));
    $handled = 0;
    $batches = 0;
    while ($messages = $queue->popMany(100)) {
        foreach ($messages as $message) {
            $message->ack();
            $handled++;
        }
        $batches++;
        unset($messages, $message);
    }
    ini_set('memory_limit', $limit);
    echo "$handled in ", $batches === 1 ? 'one batch' : 'batches', "\n";
    $info = $queue->info();
    echo "ready $info->ready, reserved $info->reserved, buried $info->buried\n";
    $queue->clear();
}

$body = fn (int $i, int $size) => ['i' => $i, 'o' => new ArrayObject(array_fill(0, $size, "m$i"))];
echo 'all alike: ';
for ($i = 0; $i < 100; $i++) {
    $queue->push($body($i, 2000));
}
handle($queue);
echo 'large ones between small ones: ';
for ($i = 0; $i < 100; $i++) {
    $queue->push($body($i, $i % 10 === 9 ? 20000 : 500));
}
handle($queue);
echo 'small ones: ';
for ($i = 0; $i < 100; $i++) {
    $queue->push($i);
}
handle($queue);
?>
--EXPECT--
all alike: 100 in batches
ready 0, reserved 0, buried 0
large ones between small ones: 100 in batches
ready 0, reserved 0, buried 0
small ones: 100 in one batch
ready 0, reserved 0, buried 0
