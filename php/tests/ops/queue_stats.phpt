--TEST--
larder: ops: stats says what the messages of a store of queues take
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
echo ops_php("-d larder.path=$folder -d larder.scope=app -d larder.queue_size=8M", '
    foreach (["mail", "other"] as $name) { $queue = Larder\Queue::open($name); $queue->push(str_repeat("x", 1000000)); $bytes[] = $queue->info()->bytes; }
    var_dump(Larder\Inspector::own("queue")->stats()["used"] === array_sum($bytes));');
echo preg_replace('/^\S+ \S+|[\d.]+M claimed/', '...', ops_larder('stats', '--folder', $folder, '--scope', 'app', '-S', 'queue')), "\n";
?>
--EXPECTF--
bool(true)
...
  memory    1.9M used (23.9%), ..., of 8.0M
  refused   0
  deaths    0 survived, 0 inside a write
  threads   0 of at most 4,096
  uptime    %s since the store was created
