<?php

/* run.php - kills a writer again and again, at a random moment of its writes. After each kill, a reader gets all entries, and writes one
 * entry. Counts lost entries, wrong values and hangs, and measures the longest call.
 *
 *   php bench/kill/run.php [--kills=N] [--module=FILE]
 *
 * Also tests APCu and a client of Redis. If a reader does not answer within WAIT seconds (a hang), the system starts again with an empty
 * store, and all entries count as lost. Without --kills, the figures go into bench/results.json. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

use Bench\Results;
use Servers\Folder;
use Servers\RedisServer;

require dirname(__DIR__) . '/php/conductor.php';

const KEYS = 64;
const WAIT = 30; // seconds; even a busy machine never takes so long for 65 calls
const HANGS = 3; // the test of a system ends after this number of hangs
const SECONDS = 120; // seconds; only Larder is tested for longer

/** Makes a value with a checksum, by which a reader sees if it is whole. */
function value(int $n): array
{
    $text = str_repeat(md5((string) $n), 1 + $n % 40);
    return ['n' => $n, 'text' => $text, 'list' => range($n, $n + $n % 30), 'sum' => crc32($text)];
}

function is_whole(mixed $value): bool
{
    return is_array($value) && $value === value($value['n'] ?? 0);
}

/**
 * @return array{callable(string): mixed, callable(string, mixed): bool} the functions get and set; get returns null for a missing key
 */
function calls(string $system, string $place): array
{
    if ($system === 'larder') {
        return [fn(string $key): mixed => Larder\VolatileCache::get($key), fn(string $key, mixed $value): bool => Larder\VolatileCache::set($key, $value)];
    }
    if ($system === 'apcu') {
        return [fn(string $key): mixed => ($value = apcu_fetch($key, $found)) === null || !$found ? null : $value, fn(string $key, mixed $value): bool => apcu_store($key, $value)];
    }
    $redis = redis_client(RedisServer::socket($place));
    return [fn(string $key): mixed => ($value = $redis->get($key)) === false ? null : $value, fn(string $key, mixed $value): bool => $redis->set($key, $value)];
}

/** Runs the reader. For each line that arrives, it reads all entries, writes one, and answers "LOST WRONG MICROSECONDS". */
function reader(string $system, string $place, mixed $channel): void
{
    [$get, $set] = calls($system, $place);
    while (fgets($channel) !== false) {
        $lost = $wrong = $longest = 0;
        for ($i = 0; $i <= KEYS; $i++) {
            $start = hrtime(true);
            $value = $i < KEYS ? $get("key $i") : $set('own', value(1));
            $longest = max($longest, hrtime(true) - $start);
            if ($i < KEYS) {
                $lost += (int) ($value === null);
                $wrong += (int) ($value !== null && !is_whole($value));
            }
        }
        fwrite($channel, "$lost $wrong " . intdiv($longest, 1000) . "\n");
    }
    posix_kill(getmypid(), SIGKILL);
}

/** Prints "KILLS LOST WRONG HANGS MICROSECONDS". Only child processes use the store, because a call may wait for ever. */
function serve(string $system, int $kills, string $place): void
{
    if ($system === 'larder') {
        Larder\VolatileCache::has('none'); // before the first fork, so that all children share the store
    }
    $child = function (callable $run): int {
        $pid = pcntl_fork();
        if ($pid === 0) {
            $run();
            posix_kill(getmypid(), SIGKILL);
        }
        return $pid;
    };
    $fill = $child(function () use ($system, $place): void {
        [, $set] = calls($system, $place);
        for ($i = 0; $i < KEYS; $i++) {
            $set("key $i", value($i)) || exit(1);
        }
    });
    pcntl_waitpid($fill, $status);
    $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $reader = $child(function () use ($system, $place, $pair): void {
        fclose($pair[0]);
        reader($system, $place, $pair[1]);
    });
    fclose($pair[1]);
    $done = $lost = $wrong = $hangs = $longest = 0;
    $end = $system === 'larder' ? INF : microtime(true) + SECONDS;
    while ($done < $kills && $hangs === 0 && microtime(true) < $end) {
        $writer = $child(function () use ($system, $place, $done): void {
            [, $set] = calls($system, $place);
            for ($n = $done; ; $n++) {
                $set('key ' . $n % KEYS, value($n % 1000));
            }
        });
        usleep(mt_rand(1000, 5000));
        posix_kill($writer, SIGKILL);
        pcntl_waitpid($writer, $status);
        $done++;
        fwrite($pair[0], "\n");
        $read = [$pair[0]];
        $write = $except = [];
        if (stream_select($read, $write, $except, WAIT) === 0) {
            $hangs++;
            $lost += KEYS;
            $longest = max($longest, WAIT * 1000000);
            break;
        }
        [$l, $w, $us] = array_map(intval(...), explode(' ', (string) fgets($pair[0])) + [1 => 0, 2 => 0]);
        $lost += $l;
        $wrong += $w;
        $longest = max($longest, $us);
    }
    posix_kill($reader, SIGKILL);
    pcntl_waitpid($reader, $status);
    echo "$done $lost $wrong $hangs $longest\n";
    posix_kill(getmypid(), SIGKILL); // end without closing the store, which may hang
}

$project = dirname(__DIR__, 2);
require "$project/tools/servers/autoload.php";
$options = getopt('', ['kills:', 'module:', 'serve:', 'place:']);
$kills = (int) ($options['kills'] ?? 1000);
if (isset($options['serve'])) {
    serve($options['serve'], $kills, $options['place']);
}
require dirname(__DIR__) . '/Results.php';
$systems = there(peers($options['module'] ?? "$project/php/modules/larder.so"));
$folder = Folder::make('larder-kill');
$server = null;
$figures = [];
try {
    $server = isset($systems['redis']) ? RedisServer::start($folder) : null;
    foreach ($systems as $system => $settings) {
        $sum = ['kills' => 0, 'lost' => 0, 'wrong' => 0, 'hangs' => 0, 'longest_ms' => 0.0];
        $end = $system === 'larder' ? INF : microtime(true) + SECONDS;
        while ($sum['kills'] < $kills && $sum['hangs'] < HANGS && microtime(true) < $end) {
            [$output] = run_php(['extension=posix', ...$settings], __FILE__, "--serve=$system", '--kills=' . ($kills - $sum['kills']), "--place=$folder");
            preg_match('/^(\d+) (\d+) (\d+) (\d+) (\d+)$/', $output[0] ?? '', $match) || fail("kill: $system gave no figures\n");
            foreach (['kills', 'lost', 'wrong', 'hangs'] as $i => $name) {
                $sum[$name] += (int) $match[$i + 1];
            }
            $sum['longest_ms'] = max($sum['longest_ms'], (int) $match[5] / 1000);
        }
        $sum['longest_ms'] = Results::round($sum['longest_ms']);
        $figures[$system] = $sum;
    }
} finally {
    $server?->stop();
    Folder::remove($folder);
}
printf("%-10s%8s%14s%8s%8s%18s\n", '', 'kills', 'entries lost', 'wrong', 'hangs', 'longest wait, ms');
foreach ($figures as $system => $f) {
    printf("%-10s%8d%14d%8d%8d%18s\n", $system, $f['kills'], $f['lost'], $f['wrong'], $f['hangs'], ($f['hangs'] ? 'over ' : '') . $f['longest_ms']);
}
Results::whole($options) && Results::put('kills_of_a_writer', ['command' => 'php bench/kill/run.php', 'entries' => KEYS, 'figures' => $figures]);
exit($figures['larder']['lost'] + $figures['larder']['wrong'] + $figures['larder']['hangs'] === 0 ? 0 : 1);
