--TEST--
larder: ops: metrics of a pool whose extension is older than the program lack what that does not count, and nothing else
--EXTENSIONS--
larder
--FILE--
<?php
foreach (glob(dirname(__DIR__, 3) . '/ops/src/*.php') as $file) {
    require_once $file;
}
Larder\VolatileCache::set('a', 1);
$stats = (new Larder\Ops\Operations())->run('stats', ['store' => 'volatile']);
unset($stats['stores']['volatile']['uptime']);
$queue = array_fill_keys(['ready', 'reserved', 'delayed', 'buried', 'bytes', 'pushed', 'acked', 'redelivered', 'returned', 'expired', 'refused'], 3);
$text = Larder\Ops\OpenMetrics::text($stats, [], [['name' => "a\"\n"] + $queue, ['name' => 'b', 'oldest' => 1.5] + $queue]);
echo implode("\n", preg_grep('/^larder_(entries|uptime|queue_(oldest|bytes))|EOF/', explode("\n", $text))), "\n";
?>
--EXPECT--
larder_entries{store="volatile"} 1
larder_queue_oldest_seconds{queue="b"} 1.5
larder_queue_bytes{queue="a\"\\x0a"} 3
larder_queue_bytes{queue="b"} 3
# EOF
