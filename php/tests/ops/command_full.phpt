--TEST--
larder: ops: full stores are used to at most 100 %, a store of queues has no entries, and looking for queues makes no store
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$settings = ['-d', 'larder.enable_cli=1', '-d', "larder.path=$folder", '-d', 'larder.scope=app', '-d', 'larder.volatile_size=2M', '-d', 'larder.pinned_size=1M', '-d', 'larder.queue_size=1M', '-d', 'log_errors=0'];
$larder = function (string ...$words) use ($settings): string {
    $command = ops_command(...$words);
    array_splice($command, 1, 1, ['-n', ...$settings]);
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    $text = stream_get_contents($pipes[1]);
    $code = proc_close($process);
    return $text . ($code !== 0 ? "exit code $code\n" : '');
};
$stores = fn (): string => implode(' ', preg_replace('/.*app-/', '', preg_grep("/lock$/", glob("$folder/*/app-*"), PREG_GREP_INVERT))) . "\n";
$php = fn (string $code): string => ops_php(implode(' ', $settings), $code);

echo "-- no queue yet\n";
$php('V::set("a", 1);');
echo $larder('queues'), $larder('kick', 'mail'), $larder('queues', '--scope', 'other', '--folder', $folder) !== '' ? $stores() : '';
$php('Larder\Queue::open("mail");');
echo $larder('kick', 'mail'), $stores();

echo "-- full\n";
$php('for ($i = 0; $i < 20000; $i++) V::set("user:$i", chr(65 + $i % 26) . str_repeat("v", $i % 500)); for ($i = 0; $i < 20000 && P::set("p$i", str_repeat("p", 300)); $i++); for ($k = 0; $k < 1500; $k++) P::set("more$k", str_repeat("p", 300));
    $queue = Larder\Queue::open("mail"); for ($i = 0; $i < 20000 && $queue->push(str_repeat("q", 200)); $i++);');
$text = $larder('stats');
preg_match_all('/([\d.]+)%\), (\S+) claimed, of (\S+)$/m', $text, $rows, PREG_SET_ORDER);
foreach ($rows as [, $percent, $claimed, $size]) {
    echo $percent > 50 && $percent <= 100 ? "used\n" : "$percent %\n";
}
echo preg_match_all('/refused +(1,5\d\d) \(full \1\)$/m', $text), ' ', max(array_map('strlen', preg_grep('~/~', explode("\n", $text), PREG_GREP_INVERT))) <= 80 ? "fits\n" : "too wide:\n$text";
foreach (json_decode($larder('stats', '-j'))->stores as $store) {
    echo $store->used <= $store->claimed && $store->claimed <= $store->size ? '' : "$store->name: $store->used used, $store->claimed claimed, of $store->size\n";
}
echo preg_replace('/[\d.,]+M?K? (of|entries|ms)/', 'N $1', $larder('ping'));
?>
--EXPECT--
-- no queue yet
larder: there are no queues: no program has used one in this scope
exit code 1
larder: there are no queues: no program has used one in this scope
exit code 1
volatile
0 messages are ready again
queue volatile
-- full
used
used
used
1 fits
volatile: up, N of 2.0M used, N entries, N ms
pinned: up, N of 1.0M used, N entries, N ms
queue: up, N of 1.0M used, N ms
