<?php
/* first.php - measures the first calls of a request under php-fpm with opcache: a get of an int, and of a second key. Also measures what
 * the extension costs a request that does not use it. Each system has one worker.
 *
 *   php bench/php/first.php [--module=FILE] [--requests=N]    prints nanoseconds: medians of N requests (1,000); the systems take turns
 *   php bench/php/first.php --instructions [--module=FILE]    prints the instructions (of callgrind) per request of a worker that does not
 *                                                             use the extension, and of two gets */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

require dirname(__DIR__, 2) . '/php/tests/include/fastcgi.php';

const SCRIPT = <<<'PHP'
<?php
$call = $_GET['call'] ?? '';
if ($call === 'larder' || $call === 'apcu') {
    $start = hrtime(true);
    $empty = hrtime(true);
    if ($call === 'larder') {
        $first = Larder\VolatileCache::get('first key');
        $then = hrtime(true);
        $second = Larder\VolatileCache::get('second key');
        $end = hrtime(true); // in each branch, so that the jump over the other one is not measured
    } else {
        $first = apcu_fetch('first key');
        $then = hrtime(true);
        $second = apcu_fetch('second key');
        $end = hrtime(true);
    }
    echo $first === 17 && $second === 42 ? json_encode([$then - $empty, $end - $then, $empty - $start]) : 'a wrong value';
} elseif ($call === 'set larder') {
    echo Larder\VolatileCache::set('first key', 17) && Larder\VolatileCache::set('second key', 42) ? 'set' : 'not stored';
} elseif ($call === 'set apcu') {
    echo apcu_store('first key', 17) && apcu_store('second key', 42) ? 'set' : 'not stored';
} else {
    echo 'nothing';
}
PHP;

/** Runs php-fpm with one worker. php-fpm ends when this process ends. */
final class Server
{
    public readonly string $socket;
    private $process;

    /** @param string[] $settings of php.ini, as for -d */
    public function __construct(private string $folder, private string $name, array $settings, array $wrapper = [], int $requests = 0)
    {
        $this->socket = "$folder/$name.sock";
        $root = fileowner($folder) === 0; // the folder was just made, so its owner is our user
        file_put_contents("$folder/$name.conf", "[global]\nerror_log = $folder/$name.log\ndaemonize = no\n[www]\nlisten = {$this->socket}\npm = static\npm.max_children = 1\n"
            . ($root ? "user = root\ngroup = root\n" : '') . ($requests > 0 ? "pm.max_requests = $requests\n" : ''));
        $command = [...$wrapper, server_binary(), '-n', '-F', '-y', "$folder/$name.conf", ...($root ? ['-R'] : [])];
        // Without file_update_protection=0, opcache would compile the new script in each request of the first 2 s.
        foreach (['opcache.enable=1', 'opcache.validate_timestamps=0', 'opcache.file_update_protection=0', ...$settings] as $setting) {
            array_push($command, '-d', $setting);
        }
        $this->process = proc_open(['setpriv', '--pdeathsig', 'TERM', ...$command], [['file', '/dev/null', 'r'], ['file', "$folder/$name.out", 'w'], ['file', "$folder/$name.out", 'a']], $pipes);
        for ($i = 0; !file_exists($this->socket) && $i < 6000; $i++) {
            usleep(10000);
        }
    }

    public function ask(string $call): string
    {
        for ($try = 0; $try < 600; $try++) { // under valgrind, the server needs seconds before it listens
            $answer = fastcgi($this->socket, "{$this->folder}/script.php", http_build_query(['call' => $call]));
            if (is_string($answer)) {
                return $answer;
            }
            usleep(100000);
        }
        fail("no answer to $call: " . file_get_contents("{$this->folder}/{$this->name}.out") . "\n");
    }

    public function stop(): void
    {
        proc_terminate($this->process);
        proc_close($this->process);
    }
}

function server_binary(): string
{
    foreach (['/usr/sbin/php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION, '/usr/sbin/php-fpm'] as $path) {
        if (is_executable($path)) {
            return $path;
        }
    }
    fail("php-fpm is not installed\n");
}

function median(array $all): float
{
    sort($all);
    return $all[count($all) >> 1];
}

/** Return the instructions of one request: the difference between 120 requests and 20, divided by 100. */
function instructions(string $folder, array $settings, string $call): float
{
    $total = [];
    foreach ([20, 120] as $requests) {
        array_map(unlink(...), glob("$folder/callgrind.*"));
        /* Callgrind counts one instruction for each byte of `rep stosb`, so make the C library use vector loops. */
        $wrapper = ['env', 'GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=1000000000', 'valgrind', '--tool=callgrind', '--trace-children=yes', "--callgrind-out-file=$folder/callgrind.%p"];
        /* pm.max_requests ends the worker after the last request; callgrind then writes the counts. */
        $server = new Server($folder, "count$requests", $settings, $wrapper, $requests + 1);
        $server->ask($call === '' ? '' : "set $call");
        for ($i = 0; $i < $requests; $i++) {
            $server->ask($call);
        }
        /* The worker's file is complete when it has the line with the totals. */
        for ($count = 0, $i = 0; $count === 0 && $i < 6000; $i++) {
            usleep(10000);
            foreach (glob("$folder/callgrind.*") as $file) {
                $count = preg_match('/^totals: ([1-9]\d*)$/m', (string) file_get_contents($file), $m) ? (int) $m[1] : $count;
            }
        }
        $server->stop();
        $total[$requests] = $count > 0 ? $count : fail("callgrind has counted nothing\n");
    }
    return ($total[120] - $total[20]) / 100;
}

$options = getopt('', ['module:', 'requests:', 'instructions']);
$extensions = rtrim((string) shell_exec('php-config --extension-dir'));
$module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
$opcache = "zend_extension=$extensions/opcache.so";
$settings = ['larder' => [$opcache, "extension=$module"], 'apcu' => [$opcache, "extension=$extensions/apcu.so", 'apc.enabled=1']];
$folder = sys_get_temp_dir() . '/larder-first-' . getmypid();
mkdir($folder);
register_shutdown_function(function () use ($folder) {
    array_map(unlink(...), glob("$folder/*"));
    rmdir($folder);
});
file_put_contents("$folder/script.php", SCRIPT);

if (isset($options['instructions'])) {
    $none = instructions($folder, [$opcache], '');
    foreach ($settings as $system => $with) {
        $unused = instructions($folder, $with, '');
        printf("%-8s loaded and not used: %+8.0f instructions a request\n", $system, $unused - $none);
        printf("%-8s first and second get, and the end of their request: %+8.0f more\n", $system, instructions($folder, $with, $system) - $unused);
    }
    exit(0);
}

$times = $servers = [];
foreach ($settings as $system => $with) {
    $servers[$system] = new Server($folder, $system, $with);
    $servers[$system]->ask("set $system") === 'set' || fail("$system: not stored\n");
}
for ($i = -50; $i < (int) ($options['requests'] ?? 1000); $i++) {
    foreach ($servers as $system => $server) {
        $answer = json_decode($text = $server->ask($system)) ?? fail("$system: $text\n");
        if ($i >= 0) {
            foreach (['first', 'second', 'empty'] as $at => $what) {
                $times[$what][$system][] = $answer[$at];
            }
        }
    }
}
array_map(fn(Server $server) => $server->stop(), $servers);
printf("ns%16s%10s%10s%14s\n", '', 'larder', 'apcu', 'larder/apcu');
foreach ($times as $what => $by) {
    $median = array_map(median(...), $by);
    printf("%-12s%16.0f%10.0f%14.2f\n", $what === 'empty' ? 'no call' : "$what get", $median['larder'], $median['apcu'], $median['larder'] / $median['apcu']);
}
