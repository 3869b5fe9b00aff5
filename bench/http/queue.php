<?php

/* queue.php - measures pushes to queues: the page /queue/QUEUE of the benchmark application, behind nginx and php-fpm. Each round measures
 * each queue without and with a consumer, in random order, and checks that every message arrives once. The last row shows that ZeroMQ hangs
 * without a consumer.
 *
 *   php bench/http/queue.php [--rounds=N] [--seconds=N] [--only=QUEUE,...] [--json=FILE]
 *   php bench/http/queue.php --published      runs wrk with 10 threads, 20 connections and 10 s for /cache and /queue, and prints its tables
 *
 * Exit code 0 only if every answer was right and no message was lost or came twice. Begin reading at account(). */

declare(strict_types=1);

namespace Bench\Http;

use Bench\Drivers;
use Bench\Machine;
use Bench\Place;
use Bench\Pushers;
use RuntimeException;
use Servers\Child;
use Servers\Folder;
use Servers\Programs;
use Servers\Web;
use Servers\Wrk;

require __DIR__ . '/autoload.php';

const CONNECTIONS = 8;
const CONSUMERS = ['larder' => 'larderpopper', 'redis' => 'redispopper', 'predis' => 'redispopper', 'zmq' => 'zmqserver'];

/** The servers, and the settings that let a consumer share a store with the workers. */
final class QueueStand
{
    public readonly Web $web;
    public readonly Backends $backends;
    /**
     * The processors of programs: wrk, nginx and the consumers on $front, the workers and the queues' servers on $back. Null means any
     * processor.
     */
    public readonly ?int $front;
    public readonly ?int $back;
    /** The folder for Larder's stores: the default of larder.path. On a disk, the kernel would write pages back, and the next write to them
     * would fault again. */
    private readonly string $memory;
    /** @var list<string> */
    private array $ini = [
        'memory_limit=256M', 'opcache.enable=1', 'opcache.validate_timestamps=0',
        'opcache.file_update_protection=0', // otherwise opcache would not cache the new copy for 2 s
        'display_errors=0', 'log_errors=1', 'larder.scope=bench',
    ];

    /** @param list<string> $drivers also set up these drivers, for /cache */
    public function __construct(public readonly string $folder, array $drivers, bool $kept)
    {
        [$this->front, $this->back] = $kept ? Stand::processors() : [null, null];
        $this->backends = new Backends($folder, $this->back);
        mkdir("$folder/files");
        posix_geteuid() === 0 && chown("$folder/files", 'www-data');
        $this->memory = '/dev/shm/' . basename($folder);
        mkdir($this->memory);
        posix_geteuid() === 0 && chown($this->memory, 'www-data');
        $this->ini[] = "larder.path=$this->memory";
        foreach (Pushers::NAMES as $name) {
            array_push($this->ini, ...Settings::lines(Pushers::class($name)::SETTINGS));
        }
        foreach ($drivers as $name) {
            array_push($this->ini, ...Settings::of($name));
        }
        $this->ini = array_values(array_unique($this->ini));
        $params = [Place::SOCKETS => $this->backends->sockets, Place::FILES => "$folder/files", Place::VENDOR => "$folder/vendor"];
        $this->web = new Web($folder, dirname(__DIR__) . '/app', ['zend_extension=opcache', ...$this->ini], $params, Folder::freePort(), $this->front, $this->back);
    }

    public function start(): void
    {
        $vendor = dirname(__DIR__, 2) . '/build/bench/composer/vendor';
        is_dir($vendor) && Web::copy($vendor, "$this->folder/vendor");
        $this->backends->start(Drivers::names());
        $this->web->start();
    }

    public function stop(): void
    {
        $this->web->stop();
        $this->backends->stop();
        Folder::remove($this->memory);
    }

    /** Starts a consumer as the user of the workers. */
    public function consumer(string $queue): Child
    {
        $flags = ['-n'];
        foreach ($this->ini as $line) {
            array_push($flags, '-d', $line);
        }
        $user = posix_geteuid() === 0 ? [Programs::path('setpriv'), '--reuid=www-data', '--regid=www-data', '--clear-groups', '--pdeathsig', 'TERM'] : [];
        $program = $this->folder . '/app/consumers/' . CONSUMERS[$queue] . '.php';
        putenv(Place::SOCKETS . '=' . $this->backends->sockets);
        $child = Child::start([...$user, PHP_BINARY, ...$flags, '-d', 'variables_order=EGPCS', $program], STDERR, $this->front);
        for ($text = '', $i = 0; !str_contains($text, 'ready'); $i++) {
            $text .= $child->read(50);
            $i < 200 && $child->running() || throw new RuntimeException("the consumer of $queue does not start: $text");
        }
        return $child;
    }

    /** Ends a consumer after it has emptied the queue. @return array<string, int> the numbers that it printed (see Consumer) */
    public static function end(Child $consumer): array
    {
        posix_kill($consumer->pid, SIGTERM);
        for ($text = ''; !feof($consumer->output);) {
            $text .= $consumer->read(100);
        }
        $consumer->wait();
        preg_match_all('/^@(\w+) (\d+)$/m', $text, $found) === 4 || throw new RuntimeException("a consumer ended with: $text");
        return array_map(intval(...), array_combine($found[1], $found[2]));
    }

    public function waiting(string $queue): int
    {
        return (int) $this->web->get("/queue/$queue?waiting");
    }

    public function load(string $path, int $seconds, string $expected): Load
    {
        return new Load(Wrk::run($this->web->url . $path, __DIR__ . '/load.lua', [$expected], $seconds, CONNECTIONS, 1, null, $this->front));
    }
}

function median(array $values): float
{
    sort($values);
    $middle = intdiv(count($values), 2);
    return count($values) % 2 ? $values[$middle] : ($values[$middle - 1] + $values[$middle]) / 2;
}

/** Measures one round of a queue. A consumer must have taken one message for each answer "pushed". The consumer may have taken one more
 * message for each connection, because a connection's last answer may come too late to be counted. */
function account(QueueStand $stand, string $queue, bool $consumer, int $seconds, array &$samples, array &$faults): void
{
    $expect = function (bool $good, string $fault) use (&$faults, $queue): void {
        if (!$good) {
            $faults[] = "$queue: $fault";
            fwrite(STDERR, "WRONG: $queue: $fault\n");
        }
    };
    $child = $consumer && $queue !== 'fake' ? $stand->consumer($queue) : null;
    $cpu = $stand->web->settledCpu();
    $server = $stand->backends->cpu('redis');
    $load = $stand->load("/queue/$queue", $seconds, 'pushed');
    $cpu = $stand->web->settledCpu() - $cpu;
    $server = $stand->backends->cpu('redis') - $server;
    $expect($load->right > 0 && $load->wrong === 0 && $load->lost + $load->failed === 0,
        "$load->right answers right, $load->wrong wrong such as $load->firstWrong, $load->lost lost, $load->failed failed");
    if ($queue !== 'fake') {
        $child ??= (function () use ($stand, $queue, $load, $expect): Child {
            $waiting = $stand->waiting($queue); // no consumer has taken a message
            $expect($waiting >= $load->right && $waiting <= $load->right + CONNECTIONS, "$waiting messages wait, $load->right were pushed");
            return $stand->consumer($queue);
        })();
        $taken = QueueStand::end($child);
        $expect($taken['taken'] >= $load->right && $taken['taken'] <= $load->right + CONNECTIONS, "{$taken['taken']} messages were taken, $load->right were pushed");
        $expect($taken['twice'] === 0 && $taken['foreign'] === 0, "{$taken['twice']} messages came twice, {$taken['foreign']} were not as they were pushed");
    }
    $samples['perSecond'][] = $load->perSecond;
    $samples['p50'][] = $load->p50;
    $samples['p99'][] = $load->p99;
    $served = $load->right + CONNECTIONS;
    $samples['workers'][] = $cpu * 1e6 / $served;
    // Count only the server's time during the load. A consumer that starts after the load makes the server work more.
    $samples['server'][] = $server * 1e6 / $served;
    $samples['consumer'][] = isset($taken) ? $taken['nanoseconds'] / 1e3 / max(1, $taken['taken']) : 0.0;
    $samples['cpu'][] = end($samples['workers']) + end($samples['server']) + ($consumer ? end($samples['consumer']) : 0.0);
}

/**
 * Returns the ratio of the second queue's requests per second to the first queue's. The queues take turns in one run, so other work affects
 * both. For each answer "pushed", a consumer must have taken one message. The queue "fake" keeps none, and is not checked.
 */
function turns(QueueStand $stand, string $one, string $other, bool $consumer, int $seconds, array &$faults): float
{
    $consumers = [];
    $start = function () use ($stand, $one, $other, &$consumers): void {
        foreach (array_diff([$one, $other], ['fake']) as $queue) {
            $consumers[] = $stand->consumer($queue);
        }
    };
    $consumer && $start();
    $run = Wrk::run($stand->web->url, __DIR__ . '/turns.lua', ['pushed', "/queue/$one", "/queue/$other"], $seconds, CONNECTIONS, 1, null, $stand->front);
    $stand->web->settledCpu();
    $consumer || $start();
    $taken = array_map(QueueStand::end(...), $consumers);
    [$asked, $time] = array_map(fn(string $list): array => explode(' ', trim($list)), [$run['asked'], $run['seconds']]);
    $sum = array_sum(array_column($taken, 'taken')) + ($one === 'fake' ? (int) $asked[0] : 0); // fake keeps no messages, so count its requests instead
    $good = $run['wrong'] . $run['failed'] === '00' && array_sum(array_column($taken, 'twice')) + array_sum(array_column($taken, 'foreign')) === 0
        && ($one === 'fake' ? $sum >= array_sum($asked) - CONNECTIONS : $sum >= (int) $run['right'] && $sum <= $run['right'] + CONNECTIONS);
    if (!$good) {
        $faults[] = "$one and $other in turns: {$run['right']} answers right, {$run['wrong']} wrong such as {$run['first_wrong']}, {$run['failed']} failed, $sum messages";
        fwrite(STDERR, 'WRONG: ' . end($faults) . "\n");
    }
    return $asked[1] / $time[1] / ($asked[0] / $time[0]);
}

/** Shows that ZeroMQ hangs without a consumer: each worker's socket becomes full, and the worker blocks in send(). */
function hang(QueueStand $stand): array
{
    $load = $stand->load('/queue/zmq', 3, 'pushed');
    $context = stream_context_create(['http' => ['timeout' => 2, 'ignore_errors' => true]]);
    $others = @file_get_contents($stand->web->url . '/queue/fake', false, $context);
    $consumer = $stand->consumer('zmq');
    usleep(500000);
    $after = @file_get_contents($stand->web->url . '/queue/fake', false, $context);
    $taken = QueueStand::end($consumer);
    return ['pushed' => $load->right, 'workers' => Web::WORKERS, 'others_answer' => $others !== false, 'others_answer_with_a_consumer' => $after === 'pushed', 'taken' => $taken['taken']];
}

function published(QueueStand $stand): void
{
    foreach ([...array_map(fn($name) => "/cache/$name", Drivers::names()), ...array_map(fn($name) => "/queue/$name", Pushers::NAMES)] as $path) {
        $queue = str_starts_with($path, '/queue/') ? substr($path, 7) : 'fake';
        $consumer = $queue !== 'fake' ? $stand->consumer($queue) : null;
        $status = $stand->web->ask($path);
        echo "\n$path\n";
        if ($status[0] !== 200) {
            echo "  not measured: $status[1]";
        } else {
            passthru(escapeshellarg(Programs::path('wrk')) . ' -t10 -c20 -d10s --latency ' . escapeshellarg($stand->web->url . $path));
        }
        $consumer !== null && QueueStand::end($consumer);
    }
}

function main(array $options): int
{
    $folder = Folder::make('larder-bench-queue');
    $published = isset($options['published']);
    $stand = new QueueStand($folder, $published ? Drivers::names() : [], !$published);
    register_shutdown_function(function () use ($stand, $folder): void {
        $stand->stop();
        Folder::remove($folder);
    });
    pcntl_async_signals(true);
    foreach ([SIGINT, SIGTERM, SIGHUP] as $signal) {
        pcntl_signal($signal, fn(int $number) => exit(128 + $number));
    }
    $stand->start();
    if ($published) {
        published($stand);
        return 0;
    }
    $rounds = (int) ($options['rounds'] ?? 5);
    $seconds = (int) ($options['seconds'] ?? 1);
    $names = isset($options['only']) ? array_intersect(Pushers::NAMES, ['fake', ...explode(',', $options['only'])]) : Pushers::NAMES;
    $absent = $faults = [];
    $samples = ['without' => array_fill_keys($names, []), 'with' => array_fill_keys($names, [])];
    foreach ($names as $name) {
        [$status, $text] = $name === 'zmq' ? [extension_loaded('zmq') || is_file(Programs::extension('zmq')) ? 200 : 503, 'Debian: php-zmq'] : $stand->web->ask("/queue/$name?waiting");
        $status === 200 || $absent[$name] = trim($text);
    }
    $runs = [];
    foreach (array_diff($names, array_keys($absent)) as $name) {
        $name === 'zmq' || $runs[] = [$name, 'without']; // see hang()
        $runs[] = [$name, 'with'];
    }
    for ($round = 0; $round <= $rounds; $round++) { // round 0 is the warm-up: its messages are checked, and its figures are dropped
        shuffle($runs);
        foreach ($runs as [$name, $title]) {
            $of = &$samples[$title][$name];
            account($stand, $name, $title === 'with', $seconds, $of, $faults);
            $round > 0 || $of = [];
            unset($of);
        }
    }
    $samples = array_map(fn(array $of) => array_filter($of), $samples);
    $ratios = [];
    $here = array_diff($names, array_keys($absent));
    for ($round = 0; $round < 3; $round++) {
        foreach ([...array_map(fn(string $name): array => ['fake', $name], array_diff($here, ['fake'])), ...(in_array('redis', $here, true) ? [['redis', 'larder']] : [])] as [$one, $other]) {
            foreach (['without', 'with'] as $title) {
                if ($other !== 'zmq' || $title === 'with') {
                    $ratios[$title]["$other to $one"][] = turns($stand, $one, $other, $title === 'with', max(4, $seconds), $faults);
                }
            }
        }
    }
    $ratios = array_map(fn(array $of) => array_map(median(...), $of), $ratios);
    $hang = in_array('zmq', $names, true) && !isset($absent['zmq']) ? hang($stand) : null;
    printf("php-fpm, %d workers; nginx; wrk, %d connections. %s\n", Web::WORKERS, CONNECTIONS, $stand->front === null ? 'One processor for all.'
        : "nginx, wrk and the consumers on processor $stand->front, PHP and the queues' servers on $stand->back.");
    $figures = [];
    foreach ($samples as $title => $of) {
        printf("\n%-24s %11s %9s %9s %9s %9s %11s %9s %10s %12s %15s\n", "/queue, $title consumer", 'requests/s', 'to fake', 'to redis', 'p50 us', 'p99 us',
            'CPU us/req', 'over fake', 'of PHP', 'of a server', 'of a consumer');
        foreach ($of as $name => $each) {
            $ratio = fn(string $to): float => isset($of[$to]) ? median(array_map(fn($a, $b) => $a / $b, $each['perSecond'], $of[$to]['perSecond'])) : NAN;
            $over = median(array_map(fn($a, $b) => $a - $b, $each['cpu'], $of['fake']['cpu']));
            $figures[$title][$name] = array_map(median(...), $each) + ['toFake' => $ratio('fake'), 'toRedis' => $ratio('redis'), 'overFake' => $over];
            $is = $figures[$title][$name];
            $times = fn(float $ratio, int $digits): string => is_nan($ratio) ? '-' : sprintf("%.{$digits}fx", $ratio);
            printf("%-24s %11.0f %9s %9s %9.0f %9.0f %11.1f %+9.1f %10.1f %12.1f %15.1f\n", $name, $is['perSecond'], $times($is['toFake'], 3), $times($is['toRedis'], 2),
                $is['p50'], $is['p99'], $is['cpu'], $is['overFake'], $is['workers'], $is['server'], $is['consumer']);
        }
    }
    foreach ($ratios as $title => $of) {
        echo "\nrequests/s, in turns of 100 ms, $title consumer: ", implode(', ', array_map(fn($name, $is) => sprintf('%s %.3fx', $name, $is), array_keys($of), $of));
    }
    echo "\n";
    foreach ($absent as $name => $why) {
        echo "\nnot measured: $name. $why\n";
    }
    if ($hang !== null) {
        printf("\nZeroMQ without a consumer: %d messages by %d workers in 3 s, then %s; with one %s, and it got %d.\n", $hang['pushed'], $hang['workers'],
            $hang['others_answer'] ? 'the server goes on' : 'no request is answered, not even /queue/fake',
            $hang['others_answer_with_a_consumer'] ? 'it goes on' : 'it does not go on', $hang['taken']);
    }
    $file = $options['json'] ?? dirname(__DIR__, 2) . '/build/bench/http-queue.json';
    is_dir(dirname($file)) || mkdir(dirname($file), 0777, true);
    $json = ['bench' => 'http-queue', 'unit' => 'requests/s; us; medians', 'machine' => Machine::facts(), 'pinned' => $stand->front !== null, 'rounds' => $rounds, 'seconds' => $seconds, 'queue' => $figures, 'turns' => $ratios, 'hang' => $hang, 'absent' => $absent, 'faults' => $faults, 'samples' => $samples];
    file_put_contents($file, json_encode($json, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR) . "\n");
    printf("\n%s. Written to %s\n", $faults === [] ? 'All messages accounted for' : 'NOT all right: ' . $faults[0], $file);
    return $faults === [] ? 0 : 1;
}

try {
    exit(main(getopt('', ['rounds:', 'seconds:', 'only:', 'json:', 'published']) ?: []));
} catch (RuntimeException $failure) {
    fwrite(STDERR, 'bench-http: ' . rtrim($failure->getMessage()) . "\n");
    exit(2);
}
