--TEST--
larder: ops: a full store uses no more than it has claimed, and claims no more than its size
--INI--
larder.volatile_size=1M
larder.pinned_size=1M
larder.queue_size=1M
--FILE--
<?php
use Larder\{Inspector, PinnedCache, Queue, VolatileCache};

$queue = Queue::open('q');
for ($i = 0; $i < 15000; $i++) {
    VolatileCache::set("key $i", str_repeat('x', 100));
    PinnedCache::set("key $i", str_repeat('x', 100));
    $queue->push('x');
}
foreach (['volatile', 'pinned', 'queue'] as $store) {
    $stats = Inspector::own($store)->stats();
    ['size' => $size, 'claimed' => $claimed, 'used' => $used] = $stats;
    echo $store, ': ', $used > $size / 2 && $used <= $claimed && $claimed <= $size ? 'right' : json_encode($stats), "\n";
}
foreach ([VolatileCache::info(), PinnedCache::info()] as $info) {
    var_dump($info->used_memory <= $info->shared_memory && $info->shared_memory <= $info->configured_memory);
}
?>
--EXPECT--
volatile: right
pinned: right
queue: right
bool(true)
bool(true)
