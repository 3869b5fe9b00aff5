<?php

/* Starts two hosts and a server, each in its own network namespace. A host has nginx, php-fpm, Larder and larder-sync; the server is a
 * redis-server. Both hosts are under load and write values. A client of the server also writes values. Then the link of one host is cut and
 * restored. Prints the measurements, and fails if a page was wrong, or a value was old for longer than the bound.
 *
 *   php demo/hosts/run.php [--seconds=N]     as root; make demo-hosts installs what it needs */

declare(strict_types=1);

const BOUND = 1.0;
const HOSTS = ['a' => '10.77.0.2', 'b' => '10.77.0.3'];

$seconds = (int) (getopt('', ['seconds:'])['seconds'] ?? 6);
$project = dirname(__DIR__, 2);
$lib = getenv('LARDER_LIB') ?: "$project/build/lib";
$autoload = "$lib/vendor/autoload.php";
posix_geteuid() === 0 || fail('network namespaces need root');
is_file("$lib/vendor/predis/predis/src/Client.php") || fail('packages/php/tests/run.sh --install-only has not installed Predis');
$extensions = rtrim((string) shell_exec('php-config --extension-dir'));
$folder = sys_get_temp_dir() . '/larder-demo-hosts-' . getmypid();
mkdir($folder, 0755);
foreach (['predis' => "$lib/vendor/predis/predis/src", 'http' => "$lib/vendor/psr/http-message/src", 'simple' => "$lib/vendor/psr/simple-cache/src", 'psr-cache' => "$lib/vendor/psr/cache/src", 'cache' => "$project/packages/php/src/Cache",
    'bin' => "$project/packages/php/bin", 'tests' => "$project/packages/php/tests/Tiered", 'app' => __DIR__] as $name => $from) {
    run('cp', '-rL', $from, "$folder/$name"); // workers may not be able to read the project's folder
    run('chmod', '-R', 'a+rX', "$folder/$name");
}
file_put_contents("$folder/autoload.php", <<<'PHP'
    <?php
    spl_autoload_register(static function (string $class): void {
        foreach (['Predis\\' => 'predis', 'Psr\\Http\\Message\\' => 'http', 'Psr\\SimpleCache\\' => 'simple', 'Psr\\Cache\\' => 'psr-cache', 'Larder\\Cache\\' => 'cache'] as $prefix => $folder) {
            if (str_starts_with($class, $prefix) && is_file($file = __DIR__ . "/$folder/" . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php')) {
                require $file;
            }
        }
    });
    PHP);
run('cp', "$project/php/modules/larder.so", $folder);
$autoload = "$folder/autoload.php";
$net = 'larder-' . getmypid();
$processes = [];

function fail(string $text): never
{
    fwrite(STDERR, "demo-hosts: $text\n");
    exit(1);
}

function run(string ...$command): string
{
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    $output = stream_get_contents($pipes[1]);
    proc_close($process) === 0 || throw new RuntimeException(implode(' ', $command) . ": $output");
    return $output;
}

/** @param list<string> $command */
function start(array $command, string $log): mixed
{
    global $processes, $folder, $pipes;
    $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], ['file', "$folder/$log", 'a']], $pipes, null, ['LARDER_AUTOLOAD' => $GLOBALS['autoload']] + getenv());
    $processes[] = $process;
    return [$process, $pipes];
}

/** @return list<string> */
function within(string $space, string ...$command): array
{
    return ['ip', 'netns', 'exec', "{$GLOBALS['net']}-$space", ...$command];
}

/** Returns the arguments that run a command as www-data, which owns the named store of php-fpm's workers. */
function asWorker(string ...$command): array
{
    return ['setpriv', '--reuid=www-data', '--regid=www-data', '--clear-groups', ...$command];
}

/** @return list<string> */
function php(string $host): array
{
    global $extensions, $project, $folder;
    $command = ['php', '-n', '-d', "extension_dir=$extensions", '-d', "larder.path=$folder/$host", '-d', 'larder.volatile_size=32M'];
    foreach (["$folder/larder.so", 'igbinary', 'redis', 'posix'] as $extension) {
        array_push($command, '-d', "extension=$extension");
    }
    return $command;
}

function ask(string $host, string $path): mixed
{
    try {
        return json_decode(run(...within($host, 'curl', '-s', '-m', '5', "http://127.0.0.1:8080$path")), true);
    } catch (RuntimeException) { // no server listens yet
        return null;
    }
}

function until(string $what, Closure $true, float $limit = 30): float
{
    $start = hrtime(true);
    while (!$true()) {
        hrtime(true) - $start < $limit * 1e9 || throw new RuntimeException("In vain waited $limit s until $what");
        usleep(5000);
    }
    return (hrtime(true) - $start) / 1e9;
}

/** Loads both hosts with wrk, and returns their requests per second, added up. */
function load(string $path, int $seconds): array
{
    $all = $wrong = 0;
    foreach (array_keys(HOSTS) as $host) {
        [$running[$host], $outputs[$host]] = start(within($host, 'wrk', '-t1', '-c4', "-d{$seconds}s", "http://127.0.0.1:8080$path"), "wrk-$host.log");
    }
    foreach ($outputs as $output) {
        $text = stream_get_contents($output[1]);
        preg_match('/Requests\/sec:\s*([\d.]+)/', $text, $rate) || throw new RuntimeException("wrk: $text");
        $all += (float) $rate[1];
        $wrong += preg_match('/Non-2xx or 3xx responses: (\d+)/', $text, $bad) ? (int) $bad[1] : 0;
    }
    return [$all, $wrong];
}

function row(string $what, string $value): void
{
    printf("  %-66s %s\n", $what, $value);
}

register_shutdown_function(static function () use (&$processes, $net, $folder): void {
    foreach (array_reverse($processes) as $process) {
        if (is_resource($process)) {
            proc_terminate($process);
        }
    }
    usleep(300000);
    foreach ([...array_keys(HOSTS), 'net'] as $space) {
        foreach (array_filter(explode("\n", (string) shell_exec("ip netns pids $net-$space 2>/dev/null"))) as $pid) {
            posix_kill((int) $pid, SIGKILL); // only this demonstration has processes in this namespace
        }
        shell_exec("ip netns del $net-$space 2>/dev/null");
    }
    shell_exec('rm -rf ' . escapeshellarg($folder));
});

/* Make a network namespace for each of the two hosts, and a third one, in which a bridge and the server run. */
foreach (['net', ...array_keys(HOSTS)] as $space) {
    run('ip', 'netns', 'add', "$net-$space");
    run('ip', '-n', "$net-$space", 'link', 'set', 'lo', 'up');
}
run('ip', '-n', "$net-net", 'link', 'add', 'bridge', 'type', 'bridge');
run('ip', '-n', "$net-net", 'addr', 'add', '10.77.0.1/24', 'dev', 'bridge');
run('ip', '-n', "$net-net", 'link', 'set', 'bridge', 'up');
foreach (HOSTS as $host => $address) {
    run('ip', '-n', "$net-net", 'link', 'add', "to-$host", 'type', 'veth', 'peer', 'name', 'eth', 'netns', "$net-$host");
    run('ip', '-n', "$net-net", 'link', 'set', "to-$host", 'master', 'bridge', 'up');
    run('ip', '-n', "$net-$host", 'addr', 'add', "$address/24", 'dev', 'eth');
    run('ip', '-n', "$net-$host", 'link', 'set', 'eth', 'up');
}
start(within('net', 'redis-server', '--bind', '10.77.0.1', '--protected-mode', 'no', '--save', '', '--dir', $folder), 'redis.log');
until('redis-server answers', fn(): bool => str_contains((string) shell_exec("ip netns exec $net-net redis-cli -h 10.77.0.1 ping 2>&1"), 'PONG'));

$listen = [];
foreach (HOSTS as $host => $address) {
    mkdir("$folder/$host");
    chown("$folder/$host", 'www-data');
    file_put_contents("$folder/$host.fpm", "[global]\nerror_log = $folder/$host.fpm.log\ndaemonize = no\n[www]\nuser = www-data\ngroup = www-data\nlisten = $folder/$host.sock\nlisten.mode = 0666\npm = static\npm.max_children = 4\n");
    file_put_contents("$folder/$host.nginx", "daemon off;\nerror_log $folder/$host.nginx.log;\npid $folder/$host.pid;\nworker_processes 1;\nevents {}\nhttp {\n access_log off;\n client_body_temp_path $folder/$host-body; fastcgi_temp_path $folder/$host-fcgi; proxy_temp_path $folder/$host-proxy; scgi_temp_path $folder/$host-scgi; uwsgi_temp_path $folder/$host-uwsgi;\n"
        . " server {\n  listen 127.0.0.1:8080;\n  location / {\n   fastcgi_pass unix:$folder/$host.sock;\n   fastcgi_param SCRIPT_FILENAME $folder/app/app.php;\n   fastcgi_param REQUEST_URI \$request_uri;\n   fastcgi_param QUERY_STRING \$query_string;\n   fastcgi_param REQUEST_METHOD \$request_method;\n   fastcgi_param AUTOLOAD $autoload;\n  }\n }\n}\n");
    $fpm = (glob('/usr/sbin/php-fpm*') ?: ['php-fpm'])[0];
    start(within($host, $fpm, '-n', '-d', 'zend_extension=opcache', '-d', 'log_errors=1', ...array_slice(php($host), 2), ...['-y', "$folder/$host.fpm"]), "$host.fpm.log");
    start(within($host, 'nginx', '-e', "$folder/$host.nginx.log", '-c', "$folder/$host.nginx"), "$host.nginx.log");
    $command = within($host, ...asWorker(...php($host), ...["$folder/bin/larder-sync", '--name=test', '--server=tcp://10.77.0.1:6379', '--bound=' . BOUND]));
    start($command, "$host.sync.log");
    until("host $host is in step", fn(): bool => (ask($host, '/get?k=x')[1] ?? false) === true);
}
$server = start(within('net', 'redis-cli', '-h', '10.77.0.1'), 'cli.log')[1];
for ($i = 0; $i < 1000; $i++) {
    $value = serialize(['id' => $i, 'name' => "entry $i", 'text' => str_repeat("text $i ", 30)]);
    fwrite($server[0], "SET \"test:entry $i\" \"\\x01" . addcslashes($value, '"\\') . "\"\n");
    fgets($server[1]);
}
echo "Two hosts, one server, a bound of ", BOUND, " s\n\n";

/* Pages. */
[$alone, $wrongAlone] = load('/redis', $seconds);
load('/page', 1);
[$tiered, $wrong] = load('/page', $seconds);
load('/plain', 1);
[$plain, $wrongPlain] = load('/plain', $seconds);
$wrong += $wrongPlain;
row('pages of 20 reads a second on both hosts, phpredis alone', sprintf('%.0f', $alone));
row('the same through the tier', sprintf('%.0f   %.2fx', $tiered, $tiered / $alone));
row('the same by Larder alone, which hosts do not share', sprintf('%.0f   %.2fx', $plain, $plain / $alone));
row('wrong pages', (string) ($wrong + $wrongAlone));

/* Both hosts and a client of the server write values that only grow. Two processes on each host watch them. */
$watchers = [];
foreach (['a', 'b', 'a', 'b'] as $host) {
    $watchers[] = start(within($host, ...asWorker(...php($host), ...["$folder/tests/host.php", $autoload, '10.77.0.1:6379', 'phpredis'])), "$host.watch.log")[1];
}
foreach (['a', 'b'] as $host) {
    $writers[$host] = start(within($host, ...asWorker(...php($host), ...["$folder/tests/host.php", $autoload, '10.77.0.1:6379', 'phpredis'])), "$host.write.log")[1];
}
$send = static function (array $to, string $method, mixed ...$arguments): void {
    fwrite($to[0], base64_encode(serialize([$method, $arguments])) . "\n");
};
$hear = static fn(array $from): mixed => unserialize((string) base64_decode((string) fgets($from[1])));
foreach ($watchers as $watcher) {
    $send($watcher, 'watch', 50, (float) $seconds);
}
$writes = 0;
for ($end = hrtime(true) + $seconds * 1e9; hrtime(true) < $end;) {
    $writes++;
    $key = 'grows ' . mt_rand(0, 49);
    if ($writes % 3 === 0) {
        fwrite($server[0], "SET \"test:$key\" $writes\n");
        fgets($server[1]);
    } else {
        $send($writers[$writes % 3 === 1 ? 'a' : 'b'], 'set', $key, $writes);
        $hear($writers[$writes % 3 === 1 ? 'a' : 'b']);
    }
}
$reads = $stale = 0;
foreach ($watchers as $watcher) {
    [$count, $old] = $hear($watcher);
    $reads += $count;
    $stale += $old;
}
row('writes a second, by both hosts and redis-cli', sprintf('%.0f', $writes / $seconds));
row('reads meanwhile', (string) $reads);
row('values that were old for longer than an invalidation takes', (string) $stale);

/* Cut the link of one host, and restore it. */
ask('a', '/set?k=cut&v=1');
until('both hosts see it', fn(): bool => ask('a', '/get?k=cut')[0] === 1 && ask('b', '/get?k=cut')[0] === 1);
run('ip', '-n', "$net-net", 'link', 'set', 'to-a', 'down');
$start = hrtime(true);
fwrite($server[0], "SET test:cut 2\n");
fgets($server[1]);
$written = hrtime(true);
$last = $written;
while (hrtime(true) - $start < 4e9) {
    $asked = hrtime(true); // If the answer is old, the host still had the old value at this time.
    if (ask('a', '/get?k=cut')[0] === 1) {
        $last = $asked;
    }
    usleep(10000);
}
$old = ($last - $written) / 1e9;
$other = ask('b', '/get?k=cut')[0];
run('ip', '-n', "$net-net", 'link', 'set', 'to-a', 'up');
$back = until('the host is in step again', fn(): bool => (ask('a', '/get?k=cut')) === [2, true]);
row('link of host a cut: last old answer after the write', sprintf('%.2f s', max(0, $old)));
row('host b meanwhile', $other === 2 ? 'the new value' : 'WRONG');
row('link restored: host a in step after', sprintf('%.2f s', $back));
$good = $wrong + $wrongAlone + $stale === 0 && $other === 2 && $old <= BOUND;
echo $good ? "\nRight: no wrong page, nothing old beyond the bound.\n" : "\nWRONG\n";
exit($good ? 0 : 1);
