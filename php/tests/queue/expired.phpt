--TEST--
larder: queue: expired messages are in no count: info(), delete(), kick(), clear(), list()
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Queue;

foreach (['ready', 'delayed', 'buried'] as $state) {
    $queue = Queue::open($state);
    foreach ([0.05, 0] as $ttl) {
        $ids[] = $id = $queue->push("lives $ttl", ttl: $ttl, delay: $state === 'delayed' ? 600 : 0);
        if ($state === 'buried') {
            $queue->pop()->bury();
        }
    }
    $expired = $ids[0];
    $ids = [];
    usleep(150000);
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
