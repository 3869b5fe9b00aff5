<?php

/* queue.php - compares the times of a queue's calls with those of the cache, Redis and a pipe.
 *
 *   php -n -d extension=.../larder.so [-d extension=redis] bench/php/queue.php [--rounds=N] [--json=FILE]
 *
 * - Rounds are interleaved, figures are medians, and bodies are compared.
 * - "push + pop + ack" and "set + get + delete" are CPU times of one process. For Redis, they are wall times of the best round, because the
 *   work of the Redis server must count, too.
 * - A pop is measured directly after another pop, and again after other work that has filled the processor's caches.
 * - Hand-off is the time from before a push until the pop of a waiting consumer has returned. Hand-offs through the queue and through a pipe
 *   alternate. */

declare(strict_types=1);

use Larder\Queue;
use Larder\VolatileCache;

use function Larder\scope;

const TEXT = 'a short message, 32 bytes long..';
const N = 20000;
const HANDOFFS = 1000;
const POPS = 8; // a request may hold few bodies in place; further pops would return copies

function cpu(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec'] + ($usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) / 1e6;
}

function median(array $values): float
{
    sort($values);
    return $values[intdiv(count($values), 2)];
}

function same(mixed $is, mixed $should): void
{
    $is === $should || throw new RuntimeException('a body is not as it was pushed');
}

/** Return the CPU nanoseconds of one push, pop and ack: the mean of N. */
function queue(): float
{
    $q = Queue::open('bench');
    $start = cpu();
    for ($i = 0; $i < N; $i++) {
        $q->push(TEXT);
        $m = $q->pop();
        $m->ack();
    }
    $ns = (cpu() - $start) / N * 1e9;
    same($m->body, TEXT);
    return $ns;
}

function cache(): float
{
    $start = cpu();
    for ($i = 0; $i < N; $i++) {
        VolatileCache::set('bench', TEXT);
        $text = VolatileCache::get('bench');
        VolatileCache::delete('bench');
    }
    $ns = (cpu() - $start) / N * 1e9;
    same($text, TEXT);
    return $ns;
}

function redis(Redis $redis): float
{
    $n = intdiv(N, 10);
    $start = hrtime(true);
    for ($i = 0; $i < $n; $i++) {
        $redis->lPush('bench', TEXT);
        $text = $redis->rPop('bench');
    }
    $ns = (hrtime(true) - $start) / $n;
    same($text, TEXT);
    return $ns;
}

/** Return the nanoseconds of wall time of one push, pop and ack: the mean of N. */
function queue_clock(): float
{
    $q = Queue::open('bench');
    $start = hrtime(true);
    for ($i = 0; $i < N; $i++) {
        $q->push(TEXT);
        $m = $q->pop();
        $m->ack();
    }
    return (hrtime(true) - $start) / N;
}

/** Return the nanoseconds of a pop of a body of $bytes bytes. All messages are pushed before the first pop, and the
 * bodies are compared only after the last pop. So only the previous pop, or $work, has changed the processor's caches. */
function pop(int $bytes, ?callable $work = null): float
{
    $q = Queue::open('large');
    $body = str_repeat('b', $bytes);
    $took = $messages = [];
    for ($i = 0; $i < POPS; $i++) {
        $q->push($body) ?? throw new RuntimeException('full');
    }
    for ($i = 0; $i < POPS; $i++) {
        $work !== null && $work();
        $start = hrtime(true);
        $messages[] = $q->pop();
        $took[] = hrtime(true) - $start;
    }
    foreach ($messages as $m) {
        same($m->body, $body);
        $m->ack();
    }
    return median($took);
}

/** Measure hand-offs through a queue and through a pipe in turn. Returns p50 and p99 of both, in microseconds. */
function hand_off(): array
{
    $q = Queue::open('hand');
    posix_mkfifo($fifo = sys_get_temp_dir() . '/larder-bench-fifo-' . getmypid(), 0600);
    $pipe = fopen($fifo, 'r+');
    stream_set_read_buffer($pipe, 0);
    stream_set_write_buffer($pipe, 0);
    unlink($fifo);
    [$mine, $its] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($pid = pcntl_fork()) === 0) {
        fclose($mine);
        fwrite($its, 'r');
        for ($i = 0; $i < HANDOFFS; $i++) {
            do {
                $m = $q->pop(60);
            } while ($m === null);
            $now = hrtime(true);
            $m->ack();
            fwrite($its, pack('q', $now - (int) $m->body));
            $text = fread($pipe, 32);
            $now = hrtime(true);
            fwrite($its, pack('q', $now - (int) $text));
        }
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($its);
    fread($mine, 1);
    $took = ['queue' => [], 'pipe' => []];
    for ($i = 0; $i < HANDOFFS; $i++) {
        usleep(200); // give the consumer time to wait again
        $q->push((string) hrtime(true));
        $took['queue'][] = unpack('q', fread($mine, 8))[1] / 1e3;
        usleep(200);
        fwrite($pipe, str_pad((string) hrtime(true), 32));
        $took['pipe'][] = unpack('q', fread($mine, 8))[1] / 1e3;
    }
    pcntl_waitpid($pid, $status);
    return array_map(function (array $values): array {
        sort($values);
        return [$values[HANDOFFS / 2], $values[(int) (HANDOFFS * 0.99)]];
    }, $took);
}

function start_redis(): ?Redis
{
    if (!extension_loaded('redis') || trim((string) shell_exec('command -v redis-server')) === '') {
        return null;
    }
    $folder = sys_get_temp_dir() . '/larder-bench-redis-' . getmypid();
    mkdir($folder, 0700);
    $process = proc_open(['redis-server', '--port', '0', '--unixsocket', "$folder/s", '--save', '', '--dir', $folder], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes);
    $parent = getmypid();
    register_shutdown_function(function () use ($process, $folder, $parent): void {
        if (getmypid() === $parent) {
            proc_terminate($process);
            proc_close($process);
            exec('rm -rf ' . escapeshellarg($folder));
        }
    });
    for ($i = 0; $i < 500 && !file_exists("$folder/s"); $i++) {
        usleep(20000);
    }
    $redis = new Redis();
    $redis->connect("$folder/s");
    return $redis;
}

$options = getopt('', ['rounds:', 'json:']);
$rounds = (int) ($options['rounds'] ?? 15);
$redis = start_redis();
$samples = ['queue' => [], 'cache' => [], 'clock' => [], 'redis' => [], '10 KB' => [], '1 MB' => [], 'cold 10 KB' => [], 'cold 1 MB' => [], 'p50' => [], 'p99' => [], 'pipe p50' => [], 'pipe p99' => []];
queue();
cache();
for ($round = 0; $round < $rounds; $round++) {
    $samples['queue'][] = queue();
    $samples['cache'][] = cache();
    $samples['clock'][] = queue_clock();
    if ($redis !== null) {
        $samples['redis'][] = redis($redis);
    }
    scope(function () use (&$samples): void { // releases the bodies, so that their memory can be reused
        $samples['10 KB'][] = pop(10 << 10);
        $samples['1 MB'][] = pop(1 << 20);
    });
    scope(function () use (&$samples): void {
        $other = str_repeat('o', 8 << 20);
        $work = fn() => same(crc32($other), 0xfd7d7a14);
        $samples['cold 10 KB'][] = pop(10 << 10, $work);
        $samples['cold 1 MB'][] = pop(1 << 20, $work);
    });
    if ($round % 5 === 0) {
        ['queue' => [$samples['p50'][], $samples['p99'][]], 'pipe' => [$samples['pipe p50'][], $samples['pipe p99'][]]] = hand_off();
    }
}
$of = array_map(fn(array $values): ?float => $values === [] ? null : median($values), $samples);
printf("push + pop + ack   %7.0f ns CPU\nset + get + delete %7.0f ns CPU    queue to cache %.2fx\n", $of['queue'], $of['cache'], $of['queue'] / $of['cache']);
if ($of['redis'] !== null) {
    printf("push + pop + ack   %7.0f ns; Redis, lPush + rPop over a unix socket %7.0f ns    Redis to queue %.1fx\n", min($samples['clock']), min($samples['redis']), min($samples['redis']) / min($samples['clock']));
}
printf("pop of 10 KB       %7.0f ns; of 1 MB %7.0f ns    %.2fx\n", $of['10 KB'], $of['1 MB'], $of['1 MB'] / $of['10 KB']);
printf("after other work   %7.0f ns; of 1 MB %7.0f ns    %.2fx\n", $of['cold 10 KB'], $of['cold 1 MB'], $of['cold 1 MB'] / $of['cold 10 KB']);
printf("hand-off p50       %7.1f us; pipe %7.1f us    %.2fx\n", $of['p50'], $of['pipe p50'], $of['p50'] / $of['pipe p50']);
printf("hand-off p99       %7.1f us; pipe %7.1f us    %.2fx\n", $of['p99'], $of['pipe p99'], $of['p99'] / $of['pipe p99']);
if (isset($options['json'])) {
    file_put_contents($options['json'], json_encode(['bench' => 'queue', 'unit' => 'ns; us', 'figures' => $of, 'samples' => $samples], JSON_PRETTY_PRINT) . "\n");
}
