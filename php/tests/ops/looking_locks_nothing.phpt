--TEST--
larder: ops: the command is stopped at hundreds of random moments while it looks at many entries, and no write waits for it
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('pcntl')) die('skip needs pcntl'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$main = dirname(__DIR__, 3) . '/ops/main.php';
echo ops_php("-d larder.path=$folder -d larder.volatile_size=128M", "\$folder = '$folder'; \$main = '$main';" . <<<'CODE'
    for ($i = 0; $i < 300000; $i++) V::set("k:$i", $i);
    $module = preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m) ? $m[1] : '';
    $start = fn (array $arguments) => proc_open([PHP_BINARY, '-n', '-d', "extension=$module", '-d', "larder.path=$folder", '-d', 'larder.volatile_size=128M', ...$arguments],
        [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], STDERR], $pipes);
    // Stops the process again and again, and then writes to all shards. If the stopped process has a lock, one of these writes is refused.
    $hold = function ($process, int $stops, int $refusals) {
        for ($stopped = $refused = 0; $stopped < $stops && $refused < $refusals; $stopped++) {
            usleep(mt_rand(0, 4000));
            proc_terminate($process, SIGSTOP);
            do $status = proc_get_status($process); while ($status['running'] && !$status['stopped']);
            if (!$status['running']) break;
            for ($k = 0, $good = true; $k < 2000 && $good; $k++) $good = V::set("w:$k", "value $k of $stopped"); // an int would be changed in place, without a lock
            $refused += !$good;
            proc_terminate($process, SIGCONT);
        }
        return [$stopped, $refused];
    };
    foreach ([[100, 'top', '--json', '--prefix', 'k:'], [100, 'keys', 'k:2999'], [100, 'keys', '--json'], [20, 'stats'], [20, 'get', 'k:7']] as $command) {
        for ($stops = array_shift($command), $stopped = $refused = $runs = 0; $stopped < $stops && $runs < 200; $runs++) {
            $process = $start([$main, '--folder', $folder, ...$command]);
            [$s, $r] = $hold($process, PHP_INT_MAX, 1);
            $stopped += $s;
            $refused += $r;
            proc_close($process);
        }
        echo $command[0], ": $refused refused", $stopped < $stops ? " in only $stopped stops" : "", "\n";
    }
    // Check that this test would notice a lock: if the stopped process is a writer, a write here is refused.
    $process = $start(['-r', 'for ($i = 0; true; $i++) Larder\VolatileCache::set("x:" . $i % 3000, "x$i");']);
    usleep(300000);
    [, $refused] = $hold($process, 1000, 1);
    proc_terminate($process, SIGKILL);
    echo 'a writer: ', $refused, " refused\n";
    CODE);
?>
--EXPECT--
top: 0 refused
keys: 0 refused
keys: 0 refused
stats: 0 refused
get: 0 refused
a writer: 1 refused
