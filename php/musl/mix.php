<?php

/*
 * Lets PHP for glibc and PHP for musl share a named store, while their processes are killed:
 *   php mix.php SECONDS 'COMMAND FOR MUSL' 'COMMAND FOR GLIBC'...
 * Each COMMAND starts PHP with the extension. If a PHP for glibc lays out values like the PHP for musl, it must share the store. If its
 * layout is different, it must refuse to open the store, with an error of one sentence. At least one PHP for glibc must share the store. At
 * the end, no value may be damaged, and no increment lost. Each of the two kinds of PHP must have read values that the other kind wrote.
 */

use Larder\{PinnedCache, VolatileCache};

const KEYS = 64, WORKERS = 4, COUNTED = 4, ROUNDS = 20000;

/** Make a value that names its key and the PHP that wrote it. */
function value(int $key, int $number, string $writer): array
{
    $text = str_repeat(md5("$key $number"), 1 + $number % 100);
    return ['key' => $key, 'number' => $number, 'writer' => $writer, 'list' => range($number, $number + 20), 'object' => new ArrayObject([$key]),
        'text' => $text, 'sum' => crc32($text)];
}

/** Return the name of the PHP that wrote a value. For a wrong value, print a message and return null. */
function writer(int $key, mixed $value): ?string
{
    if (is_array($value) && $value['key'] === $key && $value == value($key, $value['number'], $value['writer'])) {
        return $value['writer'];
    }
    echo "key $key is damaged\n";
    return null;
}

if (($argv[1] ?? '') === 'work') {
    [, , $name, $seed] = $argv;
    mt_srand((int) $seed);
    for ($round = 0; $round < ROUNDS; $round++) {
        $key = mt_rand(0, KEYS - 1);
        $found = VolatileCache::get("key$key");
        if ($found !== null) {
            $writer = writer($key, $found) ?? exit(3);
            PinnedCache::increment("$name read $writer");
        }
        VolatileCache::set("key$key", value($key, mt_rand(0, 999), $name));
        $count = mt_rand(0, COUNTED - 1);
        PinnedCache::increment("begun$count");
        PinnedCache::increment("count$count");
        PinnedCache::increment("done$count");
        if ($round % 16 === 0 && PinnedCache::lock('turn')) {
            $turn = PinnedCache::get('turns') ?? 0;
            PinnedCache::set('turns', $turn + 1);
            PinnedCache::unlock('turn');
            PinnedCache::increment('turned');
        }
    }
    exit(0);
}
if (($argv[1] ?? '') === 'hold') {
    PinnedCache::set('held', ['by musl', ['nested' => true]]);
    echo "ready\n";
    fgets(STDIN);
    exit(0);
}
if (($argv[1] ?? '') === 'try') {
    echo json_encode(PinnedCache::get('held')), "\n";
    exit(0);
}
if (($argv[1] ?? '') === 'look') {
    for ($key = 0; $key < KEYS; $key++) {
        $found = VolatileCache::get("key$key");
        $found === null || writer($key, $found);
    }
    for ($count = 0; $count < COUNTED; $count++) {
        [$begun, $counted, $done] = [PinnedCache::get("begun$count"), PinnedCache::get("count$count"), PinnedCache::get("done$count")];
        if (!($begun >= $counted && $counted >= $done && $done > 0)) {
            echo "count $count is $counted: begun $begun, done $done\n";
        }
    }
    if (!(PinnedCache::get('turns') >= PinnedCache::get('turned'))) {
        echo 'turns under the lock were lost: ', PinnedCache::get('turns'), ' of ', PinnedCache::get('turned'), "\n";
    }
    echo json_encode(['glibc read musl' => PinnedCache::get('glibc read musl') ?? 0, 'musl read glibc' => PinnedCache::get('musl read glibc') ?? 0,
        'counted' => PinnedCache::get('done0'), 'turns' => PinnedCache::get('turns')]), "\n";
    exit(0);
}

$seconds = (int) $argv[1];
$folder = sys_get_temp_dir() . '/larder-mix-' . getmypid();
mkdir($folder, 0700);
register_shutdown_function(fn () => exec('rm -rf ' . escapeshellarg($folder)));
$command = fn (string $php): string => "$php -d larder.path=" . escapeshellarg($folder)
    . ' -d larder.scope=mix -d larder.volatile_size=8M -d larder.pinned_size=8M ' . escapeshellarg(__FILE__);
$commands = ['musl' => $command($argv[2])];
$failed = false;
$say = function (string $text) use (&$failed): void {
    echo "$text\n";
    $failed = true;
};
/* Try each PHP for glibc while a PHP for musl keeps the store open. */
$holder = proc_open("exec {$commands['musl']} hold", [['pipe', 'r'], ['pipe', 'w']], $pipes);
if (fgets($pipes[1]) !== "ready\n") {
    $say('PHP for musl has no store');
    exit(1);
}
foreach (array_slice($argv, 3) as $glibc) {
    $answer = trim((string) shell_exec($command($glibc) . ' try 2>&1'));
    if ($answer === '["by musl",{"nested":true}]') {
        $commands['glibc'] = $command($glibc);
        echo "shared: $glibc\n";
    } elseif (preg_match('/^(PHP )?\S*: ?the pinned store is off: LRD_EMISMATCH: [^\n]* value ABI "[^\n"]+", this process has "[^\n"]+"; [^\n]+\nnull$/', $answer)) {
        echo "refused in one sentence: $glibc\n";
    } else {
        $say("neither shared nor refused in one sentence: $glibc\n$answer");
    }
}
fclose($pipes[0]);
proc_close($holder);
if (!isset($commands['glibc'])) {
    $say('no PHP for glibc shares a store with that for musl');
    exit(1);
}

$start = fn (string $name): array => [$name, proc_open("exec $commands[$name] work $name " . mt_rand(), [], $pipes)];
$running = [];
for ($n = 0; $n < WORKERS; $n++) {
    $running[] = $start($n % 2 ? 'musl' : 'glibc');
}
$kills = ['glibc' => 0, 'musl' => 0];
$until = hrtime(true) + (int) $seconds * 1_000_000_000;
$latest = $until + 120 * 1_000_000_000; /* a busy machine needs longer */
$enough = function () use ($commands, $until, $latest, &$kills): bool {
    return hrtime(true) > $until && min($kills) > 0
        && (hrtime(true) > $latest || min(json_decode((string) shell_exec("{$commands['glibc']} look 2>&1"), true) ?? [0]) > 0);
};
while (!$failed && !$enough()) {
    usleep(mt_rand(20_000, 150_000));
    $n = array_rand($running);
    [$name, $process] = $running[$n];
    $status = proc_get_status($process);
    if ($status['running']) {
        proc_terminate($process, SIGKILL);
        $kills[$name]++;
    } elseif ($status['exitcode'] !== 0) {
        $say("a worker of $name ended with {$status['exitcode']}");
    }
    proc_close($process);
    $running[$n] = $start($name);
}
foreach ($running as [$name, $process]) {
    proc_terminate($process, SIGKILL);
    proc_close($process);
}
$looks = array_map(fn (string $command): string => (string) shell_exec("$command look 2>&1"), $commands);
$seen = json_decode($looks['glibc'], true);
if (!is_array($seen) || $looks['glibc'] !== $looks['musl']) {
    $say("they do not see the same:\n" . implode($looks));
} elseif (min($seen) === 0) {
    $say('one of them read nothing of the other: ' . $looks['glibc']);
}
echo "killed: {$kills['glibc']} of glibc, {$kills['musl']} of musl; ", trim($looks['musl']), "\n";
exit((int) $failed);
