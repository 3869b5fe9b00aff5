--TEST--
larder: queue: a message whose body has a hook that takes more memory than memory_limit is buried
--EXTENSIONS--
larder
--INI--
larder.queue_size=64M
memory_limit=512M
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP'); ?>
--FILE--
<?php
use Larder\Queue;

class Hooked
{
    public function __serialize(): array { return []; }
    public function __unserialize(array $data): void { str_repeat('x', 100000000); }
}
$q = Queue::open('work');
$q->push(new Hooked());
$limit = ini_get('memory_limit');
register_shutdown_function(function () use ($q, $limit) {
    ini_set('memory_limit', $limit);
    $info = $q->info();
    /* Add reserved and buried: some builds of PHP free the message only after the shutdown functions (see
     * body_too_large_processes.phpt). */
    echo "$info->ready ready, ", $info->reserved + $info->buried, " reserved or buried\n";
});
gc_mem_caches();
ini_set('memory_limit', memory_get_usage(true) + (4 << 20));
$q->pop();
echo "there was memory\n";
?>
--EXPECTF--
%AFatal error: Allowed memory size of %d bytes exhausted %s
0 ready, 1 reserved or buried
