<?php
/* resident.php - measures the first fetch of a request, and a later one, of a graph of 2,000 readonly objects. Compares them with the fetch
 * of an int, and with APCu.
 *
 *   php bench/php/resident.php [--module=FILE] [--requests=N] [--json=FILE]
 *
 * Each system serves requests through PHP's built-in server with opcache, on core 0, to a client on core 1; the systems take turns. Times
 * are wall time: medians of N samples. A sample is the last of five requests in a row. A server's first ten requests are not counted. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

const PAGE = <<<'CODE'
<?php
final readonly class Setting { public function __construct(public string $name, public int|string|bool $value, public array $allowed, public ?Setting $parent) {} }
function settings(): array {
    $all = [];
    for ($i = 0; $i < 2000; $i++) {
        $all["setting.$i"] = new Setting("setting.$i", $i % 3 ? $i : "value $i", ['min' => 0, 'max' => 100], $all['setting.' . intdiv($i, 2)] ?? null);
    }
    return $all;
}
if (FETCH('int') !== 5) {
    STORE('graph', settings());
    STORE('int', 5);
}
FETCH('other');
$start = hrtime(true); $none = hrtime(true);
$a = hrtime(true); $graph = FETCH('graph'); $b = hrtime(true);
for ($i = 0; $i < 1000; $i++) { $int = FETCH('int'); }
$c = hrtime(true);
for ($i = 0; $i < FURTHER; $i++) { $again = FETCH('graph'); }
$d = hrtime(true);
$right = $int === 5 && count($graph) === 2000 && $graph['setting.1999']->name === 'setting.1999' && $graph['setting.1999']->parent === $graph['setting.999']
    && $again['setting.3']->value === 'value 3' && $again['setting.1998']->allowed === ['min' => 0, 'max' => 100];
if (($_SERVER['QUERY_STRING'] ?? '') === 'all') { $right = $right && $graph == settings(); }
echo $right ? implode(' ', [$none - $start, $b - $a - ($none - $start), ($c - $b) / 1000, ($d - $c) / FURTHER]) : 'wrong';
CODE;

function systems(array $options): array
{
    $extensions = rtrim((string) shell_exec('php-config --extension-dir'));
    $apcu = ["extension=$extensions/apcu.so", 'apc.enabled=1', 'apc.enable_cli=1', 'apc.shm_size=256M'];
    $systems = [
        'larder' => ['extension=' . ($options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so')],
        'apcu php' => [...$apcu, 'apc.serializer=php'],
        'apcu igbinary' => ["extension=$extensions/igbinary.so", ...$apcu, 'apc.serializer=igbinary'],
    ];
    $there = fn(array $settings) => array_filter($settings, fn($s) => str_starts_with($s, 'extension=') && !is_file(substr($s, 10))) === [];
    return array_map(fn($settings) => [...$settings, "zend_extension=$extensions/opcache.so", 'opcache.enable_cli=1', 'memory_limit=1G'], array_filter($systems, $there));
}

/** Start a server. Returns a function that sends one request and returns its figures in nanoseconds. */
function start(string $system, array $settings): Closure
{
    $folder = sys_get_temp_dir() . '/larder-bench-' . getmypid() . '-' . count(glob(sys_get_temp_dir() . '/larder-bench-' . getmypid() . '-*'));
    mkdir($folder);
    $larder = $system === 'larder';
    file_put_contents("$folder/index.php", strtr(PAGE, ['FETCH(' => $larder ? '\Larder\VolatileCache::get(' : 'apcu_fetch(', 'STORE(' => $larder ? '\Larder\VolatileCache::set(' : 'apcu_store(', 'FURTHER' => $larder ? '1000' : '1']));
    $socket = stream_socket_server('tcp://127.0.0.1:0');
    $address = stream_socket_get_name($socket, false);
    fclose($socket);
    $command = ['taskset', '-c', '0', PHP_BINARY, '-n'];
    foreach ($settings as $setting) {
        array_push($command, '-d', $setting);
    }
    array_push($command, '-S', $address, '-t', $folder);
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', "$folder/log", 'w']], $pipes);
    register_shutdown_function(function () use ($process, $folder) {
        proc_terminate($process, SIGKILL);
        array_map('unlink', glob("$folder/*"));
        rmdir($folder);
    });
    for ($i = 0; $i < 500 && !($up = @stream_socket_client("tcp://$address")); $i++) {
        usleep(10000);
    }
    $up || fail("resident: $system did not start\n");
    fclose($up);
    return function (string $query = '') use ($address, $system, $folder): array {
        $connection = stream_socket_client("tcp://$address");
        fwrite($connection, "GET /?$query HTTP/1.0\r\n\r\n");
        [, $body] = explode("\r\n\r\n", stream_get_contents($connection), 2) + [1 => ''];
        $figures = array_map('floatval', explode(' ', $body));
        if (count($figures) !== 4) {
            fwrite(STDERR, "resident: $system answered: " . substr($body, 0, 500) . "\n" . file_get_contents("$folder/log"));
            exit(1);
        }
        return $figures;
    };
}

function median(array $numbers): float
{
    sort($numbers);
    return (float) $numbers[intdiv(count($numbers), 2)];
}

$options = getopt('', ['module:', 'requests:', 'json:']);
$requests = (int) ($options['requests'] ?? 300);
exec('taskset -cp 1 ' . getmypid() . ' >/dev/null 2>&1');
$servers = [];
foreach (systems($options) as $system => $settings) {
    $servers[$system] = start($system, $settings);
    for ($i = 0; $i < 10; $i++) {
        $servers[$system]('all');
    }
}
$samples = [];
for ($i = 0; $i < $requests; $i++) {
    foreach ($servers as $system => $ask) {
        // The other server has filled the processor's caches with its data. Use only the fifth answer, after four requests have warmed the
        // caches.
        for ($j = 0; $j < 5; $j++) {
            $figures = $ask();
        }
        foreach (['clock', 'first', 'int', 'further'] as $k => $name) {
            $samples[$system][$name][] = $figures[$k];
        }
    }
}
$figures = array_map(fn($by) => array_map('median', $by), $samples);
printf("%-16s%20s%20s%20s%16s\n", 'ns, 2,000 objects', 'first in a request', 'a further one', 'an int', 'reading clock');
foreach ($figures as $system => $by) {
    printf("%-16s%20s%20s%20s%16s\n", $system, number_format($by['first']), number_format($by['further'], 1), number_format($by['int'], 1), number_format($by['clock']));
}
$others = array_filter($figures, fn($system) => $system !== 'larder', ARRAY_FILTER_USE_KEY);
if ($others !== []) {
    printf("\nthe better APCu / Larder: first %.0f times, further %.0f times; a further one is %.2f times an int\n", min(array_column($others, 'first')) / $figures['larder']['first'], min(array_column($others, 'further')) / $figures['larder']['further'], $figures['larder']['further'] / $figures['larder']['int']);
}
$file = $options['json'] ?? dirname(__DIR__, 2) . '/build/php/resident.json';
@mkdir(dirname($file), 0777, true);
file_put_contents($file, json_encode(['php' => PHP_VERSION, 'requests' => $requests, 'unit' => 'ns, median', 'figures' => $figures], JSON_PRETTY_PRINT) . "\n");
echo "written to $file\n";
