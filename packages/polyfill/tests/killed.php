<?php

/**
 * Kills processes while they use one store and one queue, and checks what is left.
 *   php killed.php ROUNDS [FROM TO]
 * FROM TO: breaks Log.php by replacing the text FROM by TO. The checks must notice this.
 * Prints "right", or what is wrong. The run is also wrong if no process copied the log to a new file during the kills.
 */

declare(strict_types=1);

use Larder\{Queue, VolatileCache};

[, $rounds, $from, $to] = $argv + [2 => '', 3 => ''];
if ($from !== '') {
    require __DIR__ . '/../src/Polyfill/Part.php';
    $log = (string) file_get_contents(__DIR__ . '/../src/Polyfill/Log.php');
    substr_count($log, $from) > 0 || throw new RuntimeException("Log.php has no $from");
    eval(substr(str_replace($from, $to, $log), strlen('<?php')));
}

const PROCESSES = 3;
$folder = sys_get_temp_dir() . '/larder-killed-' . getmypid();
mkdir($folder);
register_shutdown_function(static function (int $process) use ($folder): void {
    if (getmypid() === $process) {
        array_map(unlink(...), glob("$folder/*") ?: []);
        rmdir($folder);
    }
}, getmypid());
$parent = getmypid();
$pool = VolatileCache::pool('p');
$queue = Queue::open('q');
VolatileCache::set('count', 0);

/* For each event, a process writes a line to its own file, which stays when the process is killed. */
$start = static function (int $n) use ($folder, $pool, $queue, $parent): int {
    $pid = pcntl_fork();
    if ($pid !== 0) {
        return $pid;
    }
    set_error_handler(static fn(int $level, string $text) => (error_reporting() & $level) !== 0 && throw new ErrorException($text));
    $told = fopen("$folder/$n", 'a');
    try {
        for ($i = 0; posix_getppid() === $parent; $i++) {
            VolatileCache::increment('count');
            fwrite($told, "count\n");
            $text = str_repeat("$n $i ", mt_rand(1, 300));
            $pool->set('k' . mt_rand(0, 50), [$text, md5($text)]);
            [$text, $sum] = $pool->get('k' . mt_rand(0, 50)) ?? ['', md5('')];
            md5($text) === $sum || fwrite($told, "wrong value\n");
            $id = $queue->push("$n $i");
            fwrite($told, "pushed $id\n");
            $message = $queue->pop();
            if ($message !== null) {
                fwrite($told, "takes $message->id\n"); // write this line before ack(), because the process may die right after ack()
                $message->ack() || fwrite($told, "wrong: ack() of $message->id\n");
            }
        }
    } catch (Throwable $error) {
        fwrite($told, 'wrong: ' . $error::class . ': ' . $error->getMessage() . "\n");
    }
    exit(1);
};
$path = (string) (new ReflectionProperty(Larder\Polyfill\Log::class, 'path'))->getValue(Larder\Polyfill\Store::named('volatile')->log);
$pids = array_map($start, range(0, PROCESSES - 1));
$copies = static fn(): int => (int) file_get_contents($path);
for ($n = PROCESSES; $n < $rounds + PROCESSES || ($copies() < 3 && $n < 100 * $rounds); $n++) {
    usleep(mt_rand(500, 6000));
    posix_kill($pids[$n % PROCESSES], SIGKILL);
    pcntl_waitpid($pids[$n % PROCESSES], $status);
    if ($n % 4 === 0) { // append an incomplete or wrong frame, as if the process had died while writing it
        foreach (['volatile', 'queue'] as $store) {
            $control = fopen(dirname($path) . '/' . str_replace('volatile', $store, basename($path)), 'r');
            flock($control, LOCK_EX);
            $frame = serialize([['entry', 'count', [['Scalar', -1, 'int', 8, false, []], INF, 1, 0.0, 80, null]]]);
            $frame = pack('N2', strlen($frame), crc32($frame) ^ mt_rand(1, 9)) . $frame;
            file_put_contents(stream_get_meta_data($control)['uri'] . '.' . (int) fread($control, 20), substr($frame, 0, $n % 8 === 0 ? strlen($frame) : mt_rand(1, strlen($frame))), FILE_APPEND);
            fclose($control);
        }
    }
    $pids[$n % PROCESSES] = $start($n);
}
foreach ($pids as $pid) {
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
}

$counts = ['count' => 0];
$pushed = $taken = $wrong = [];
foreach (glob("$folder/*") ?: [] as $file) {
    foreach (file($file, FILE_IGNORE_NEW_LINES) ?: [] as $line) {
        [$what, $id] = explode(' ', $line, 2) + [1 => ''];
        match ($what) {
            'count' => $counts['count']++,
            'pushed' => $pushed[$id] = ($pushed[$id] ?? 0) + 1,
            'takes' => $taken[$id] = ($taken[$id] ?? 0) + 1,
            default => $wrong[] = $line,
        };
    }
}
try {
    $count = VolatileCache::get('count');
    $most = $counts['count'] + $n; // each of the $n processes may have died after increment(), before it wrote its line
    if ($count < $counts['count'] || $count > $most) {
        $wrong[] = "the count is $count, not {$counts['count']} to $most";
    }
    $left = [];
    foreach ($queue->list() as $message) {
        $left[$message->id] = $message->state;
    }
    foreach ($pushed as $id => $times) {
        $times === 1 || $wrong[] = "message $id was pushed $times times";
        isset($taken[$id]) || isset($left[$id]) || $wrong[] = "message $id is lost";
    }
    if (array_diff($left, ['ready']) !== []) {
        $wrong[] = 'messages of dead processes: ' . implode(' ', array_diff($left, ['ready']));
    }
    if (array_filter($taken, static fn(int $times) => $times > 1) !== [] && array_sum($taken) - count($taken) > $n) {
        $wrong[] = 'more messages were taken twice than processes died';
    }
    for ($k = 0; $k <= 50; $k++) {
        [$text, $sum] = $pool->get("k$k") ?? ['', md5('')];
        md5($text) === $sum || $wrong[] = "k$k is wrong";
    }
} catch (Throwable $error) {
    $wrong[] = $error::class . ': ' . $error->getMessage();
}
$copies() > 0 || $wrong[] = 'no file was copied';
echo $wrong === [] ? 'right' : 'wrong: ' . implode("\n", array_slice($wrong, 0, 5)), "\n";
fwrite(STDERR, "$n processes, $counts[count] counted, " . count($pushed) . ' pushed, ' . count($taken) . " taken, {$copies()} copies\n");
