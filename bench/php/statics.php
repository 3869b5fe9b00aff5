<?php
/* statics.php - measures what static state costs a request: the first use, changes, and loops.
 *
 *   php bench/php/statics.php [--module=FILE] [--requests=N] [--reads]
 *
 * One worker of PHP's built-in server with opcache answers the requests. First uses are measured in wall time, the rest in CPU time.
 * Figures are medians of all requests except the first ten. --reads measures no times: it counts the instructions of a read with valgrind,
 * in each mode of the JIT. */

declare(strict_types=1);

require_once __DIR__ . '/../fail.php';

const CLASSES = [
    'plain' => 'class Plain { public static array $a = [1]; public static int $n = 0; static function bump() { self::$n++; } }',
    'array' => 'class Table { #[Larder\VolatileStatic] public static array $a = []; }',
    'graph' => 'class Kernel { #[Larder\PinnedStatic] public static ?array $graph = null; }',
    'changes' => 'class Changes { #[Larder\VolatileStatic] public static int $n = 0; #[Larder\PinnedStatic] public static int $p = 0; static function bump() { self::$n++; } }',
    'items' => 'class Item { public function __construct(public string $name, public int|string|bool $value, public array $allowed, public ?Item $parent) {} }
        final readonly class Fixed { public function __construct(public string $name, public int|string|bool $value, public array $allowed, public ?Fixed $parent) {} }
        function items(string $class): array {
            $all = [];
            for ($i = 0; $i < 2000; $i++) $all["setting.$i"] = new $class("setting.$i", $i % 3 ? $i : "value $i", ["min" => 0, "max" => 100], $all["setting." . intdiv($i, 2)] ?? null);
            return $all;
        }',
];
const PAGE = <<<'CODE'
<?php
use Larder\{VolatileCache, PinnedCache};
function cpu(): int { $t = getrusage(); return ($t['ru_utime.tv_sec'] + $t['ru_stime.tv_sec']) * 1000000000 + ($t['ru_utime.tv_usec'] + $t['ru_stime.tv_usec']) * 1000; }
function touched() { return $GLOBALS['x'] = 1; }
require 'items.php';
if (VolatileCache::get('set') === null) {
    require 'array.php'; require 'graph.php';
    Table::$a = array_map(fn ($i) => "value $i", range(0, 999));
    Kernel::$graph = items('Item');
    VolatileCache::set('array', Table::$a); VolatileCache::set('fixed', items('Fixed')); VolatileCache::set('set', 1);
    echo 'set'; return;
}
VolatileCache::get('set'); PinnedCache::get('set');
$t[] = hrtime(true); require 'plain.php'; $x = Plain::$a;
$t[] = hrtime(true); require 'array.php'; $array = Table::$a;
$t[] = hrtime(true); $got = VolatileCache::get('array');
$t[] = hrtime(true); require 'graph.php'; $graph = Kernel::$graph;
$t[] = hrtime(true); $fixed = VolatileCache::get('fixed');
$t[] = hrtime(true); for ($i = 0; $i < 1000; $i++) $again = Kernel::$graph;
$t[] = hrtime(true);
require 'changes.php'; touched();
$right = $array === $got && count($array) === 1000 && $array[999] === 'value 999' && count($graph) === 2000 && $graph['setting.1999']->parent === $graph['setting.999'] && $fixed['setting.1998']->name === 'setting.1998' && $again === $graph && $graph['setting.5']->value === 5;
$graph['setting.5']->value = 'changed in a request';
$u[] = cpu(); for ($i = 1; $i <= 1000; $i++) { Changes::$p = $i; touched(); }
$u[] = cpu(); for ($i = 1; $i <= 1000; $i++) { PinnedCache::set('number', $i); touched(); }
$u[] = cpu(); for ($i = 0; $i < 100000; $i++) Changes::$n++;
$u[] = cpu(); for ($i = 0; $i < 100000; $i++) Plain::$n++;
$u[] = cpu(); for ($i = 0; $i < 100000; $i++) Changes::bump();
$u[] = cpu(); for ($i = 0; $i < 100000; $i++) Plain::bump();
$u[] = cpu();
$right = $right && Changes::$p === 1000 && Changes::$n % 200000 === 0 && (int) $_SERVER['QUERY_STRING'] + 1 === intdiv(Changes::$n, 200000) && Plain::$n === 200000;
echo $right ? implode(' ', [...array_map(fn ($i) => $t[$i + 1] - $t[$i], range(0, 5)), ...array_map(fn ($i) => $u[$i + 1] - $u[$i], range(0, 5))]) : 'wrong';
CODE;
const FAULT = <<<'C'
    #define _GNU_SOURCE
    #include <signal.h>
    #include <stdio.h>
    #include <sys/mman.h>
    #include <time.h>
    static char *page;
    static void fault(int number, siginfo_t *info, void *context) { mprotect(page, 4096, PROT_READ | PROT_WRITE); }
    int main(void)
    {
        struct sigaction action = {.sa_flags = SA_SIGINFO};
        struct timespec a, b;
        action.sa_sigaction = fault;
        sigaction(SIGSEGV, &action, 0);
        page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
        for (int i = 0; i < 20000; i++) { *(volatile int *)page = i; mprotect(page, 4096, PROT_READ); }
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
        printf("%f", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / 20000);
    }
    C;

function median(array $numbers): float
{
    sort($numbers);
    return (float) $numbers[intdiv(count($numbers), 2)];
}

$options = getopt('', ['module:', 'requests:', 'reads']);
$extensions = rtrim((string) shell_exec('php-config --extension-dir'));
$module = $options['module'] ?? dirname(__DIR__, 2) . '/php/modules/larder.so';
$folder = sys_get_temp_dir() . '/larder-statics-bench-' . getmypid();
mkdir($folder);
register_shutdown_function(function () use ($folder) {
    array_map('unlink', glob("$folder/*"));
    rmdir($folder);
});
$php = [PHP_BINARY, '-n', '-d', "extension=$module", '-d', 'larder.statics=1', '-d', "zend_extension=$extensions/opcache.so", '-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0', '-d', 'opcache.jit_buffer_size=32M'];

/** Return the number of instructions that valgrind counts in a run of this program. */
function instructions(array $command): int
{
    $process = proc_open(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', ...$command], [1 => ['pipe', 'w'], 2 => ['pipe', 'w']], $pipes);
    $said = stream_get_contents($pipes[1]);
    $log = stream_get_contents($pipes[2]);
    proc_close($process);
    return $said === 'right' && preg_match('/Collected : (\d+)/', $log, $m) ? (int) $m[1] : fail("valgrind: $said\n$log");
}

if (isset($options['reads'])) {
    foreach (['plain' => '', 'attributed' => '#[Larder\VolatileStatic]'] as $name => $attribute) {
        file_put_contents("$folder/$name.php", "<?php class C { $attribute public static int \$v = 3; static function get() { return self::\$v; } } function touched() { return \$GLOBALS['x'] = 1; } touched(); \$s = 0; for (\$i = 0, \$n = (int) \$argv[1]; \$i < \$n; \$i++) { \$s += C::\$v + C::get(); } echo \$s === 6 * \$n ? 'right' : 'wrong';");
    }
    foreach (['no opcache' => null, 'opcache' => 'off', 'tracing JIT' => 'tracing', 'function JIT' => '1205'] as $mode => $jit) {
        foreach (['plain', 'attributed'] as $name) {
            $command = $jit === null ? [PHP_BINARY, '-n', '-d', "extension=$module", '-d', 'larder.statics=1'] : [...$php, '-d', "opcache.jit=$jit"];
            [$few, $many] = [instructions([...$command, "$folder/$name.php", '20000']), instructions([...$command, "$folder/$name.php", '220000'])];
            $reads[$name] = ($many - $few) / 200000;
        }
        printf("%-14s two reads, a call and the loop: plain %.2f instructions, attributed %.2f\n", $mode, $reads['plain'], $reads['attributed']);
    }
    $classes = '';
    for ($i = 0; $i < 300; $i++) {
        $classes .= "class C$i { public static \$a = 1; protected static array \$b = []; private \$c; public \$d; function f() { return \$this->c; } static function g() { static \$n = 0; return \$n++; } }\n";
    }
    file_put_contents("$folder/classes.php", "<?php\n$classes");
    file_put_contents("$folder/load.php", "<?php if (\$argv[2]) eval('class Marked { #[Larder\\VolatileStatic] public static \$m = 1; }'); if (\$argv[1]) require '$folder/classes.php'; echo 'right';");
    foreach (['off' => ['0', '0'], 'on' => ['1', '0'], 'seen' => ['1', '1']] as $name => [$on, $marked]) {
        $command = fn(string $load): array => [PHP_BINARY, '-n', '-d', "extension=$module", '-d', "larder.statics=$on", "$folder/load.php", $load, $marked];
        $load[$name] = instructions($command('1')) - instructions($command('0'));
    }
    printf("a class without the attribute, loaded: %.1f instructions more; where another class has it: %.1f\n", ($load['on'] - $load['off']) / 300, ($load['seen'] - $load['off']) / 300);
    exit;
}

foreach (CLASSES as $name => $code) {
    file_put_contents("$folder/$name.php", "<?php\n$code\n");
}
file_put_contents("$folder/index.php", PAGE);
file_put_contents("$folder/fault.c", FAULT);
exec("gcc -O2 -w -o $folder/fault $folder/fault.c");
$socket = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($socket, false);
fclose($socket);
$process = proc_open([...$php, '-d', 'opcache.jit=off', '-S', $address, '-t', $folder], [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']], $pipes, $folder);
register_shutdown_function(fn () => proc_terminate($process, SIGKILL));
for ($i = 0; $i < 500 && !($up = @stream_socket_client("tcp://$address")); $i++) {
    usleep(10000);
}
file_get_contents("http://$address/");
$names = ['plain', 'array', 'get', 'graph', 'resident', 'further', 'pinned', 'set', 'loop', 'plain loop', 'calls', 'plain calls'];
$requests = (int) ($options['requests'] ?? 200);
for ($i = 0; $i < $requests; $i++) {
    $answer = file_get_contents("http://$address/?$i");
    $figures = explode(' ', (string) $answer);
    count($figures) === count($names) || fail("request $i: $answer\n");
    foreach ($names as $k => $name) {
        $i < 10 || $samples[$name][] = (float) $figures[$k];
    }
    $i % 20 || $faults[] = (float) shell_exec("$folder/fault");
}
$m = array_map('median', $samples);
$fault = median($faults);
printf("first use of an array of 1,000:     %8.0f ns above a plain static; VolatileCache::get() %.0f ns (%.1fx)\n", $m['array'] - $m['plain'], $m['get'], ($m['array'] - $m['plain']) / $m['get']);
printf("first use of 2,000 pinned objects:  %8.0f ns above a plain static; 2,000 resident readonly ones %.0f ns (%.1fx); afterwards %.1f ns a read\n", $m['graph'] - $m['plain'], $m['resident'], ($m['graph'] - $m['plain']) / $m['resident'], $m['further'] / 1000);
printf("a change of a pinned int:           %8.0f ns, PinnedCache::set() %.0f ns; a bare fault with two mprotect() %.0f ns (%.2fx)\n", $m['pinned'] / 1000, $m['set'] / 1000, $fault, ($m['pinned'] - $m['set']) / 1000 / $fault);
printf("100,000 increments:                 %8.0f ns each, plain %.0f ns (%.2fx)\n", $m['loop'] / 1e5, $m['plain loop'] / 1e5, $m['loop'] / $m['plain loop']);
printf("100,000 calls that increment:       %8.0f ns each, plain %.0f ns (%.2fx)\n", $m['calls'] / 1e5, $m['plain calls'] / 1e5, $m['calls'] / $m['plain calls']);
