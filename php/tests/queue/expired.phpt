--TEST--
larder: queue: expired messages are in no count: info(), delete(), kick(), clear(), list()
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

foreach (['ready', 'delayed', 'buried'] as $state) {
    /* A message must be buried before it expires. If the machine was too slow, try again with a longer time and another queue. */
    for ($brief = 0.05, $good = false; !$good && $brief < 100; $brief *= 2) {
        $queue = Queue::open("$state $brief");
        $good = true;
        foreach ([$brief, 0] as $ttl) {
            $id = $queue->push("lives $ttl", ttl: $ttl, delay: $state === 'delayed' ? 600 : 0);
            $expired = $ttl ? $id : $expired;
            if ($state === 'buried') {
                $good = $queue->pop()?->bury() && $good;
            }
        }
        usleep((int) ($brief * 3e6));
    }
    $info = $queue->info();
    echo "$state: $info->ready $info->delayed $info->buried, expired $info->expired, deleted $info->deleted\n";
    var_dump($queue->delete($expired), count($queue->list()), $queue->kick(), $queue->clear());
}
$queue = Queue::open('delete');
$id = $queue->push('brief', ttl: 0.05);
usleep(150000);
var_dump($queue->delete($id), $queue->info()->deleted, $queue->info()->expired, $queue->info()->bytes);
?>
--EXPECT--
ready: 1 0 0, expired 1, deleted 0
bool(false)
int(1)
int(0)
int(1)
delayed: 0 1 0, expired 1, deleted 0
bool(false)
int(1)
int(0)
int(1)
buried: 0 0 1, expired 1, deleted 0
bool(false)
int(1)
int(1)
int(1)
bool(false)
int(0)
int(1)
int(0)
