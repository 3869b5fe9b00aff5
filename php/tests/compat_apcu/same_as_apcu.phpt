--TEST--
larder: compat_apcu: a random mix of calls gives what the real APCu gives
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!is_file(ini_get('extension_dir') . '/apcu.so')) die('skip needs the real apcu to compare with');
if (ini_get('opcache.enable_cli')) die('skip what it runs is without opcache: once is enough');
?>
--FILE--
<?php
/* Runs once with APCu, and once with Larder's APCu functions, and prints the result of each call. Leaves out calls that differ on
 * purpose. */
$script = <<<'PHP'
set_error_handler(function (int $level, string $text) { echo "level $level ", preg_replace('/^\w+\(\): (Cannot serialize)/', '$1', $text), " "; return true; });
class Point { public ?Point $next = null; public function __construct(public int $x) {} }
final class Holder { public function __construct(public mixed $held) {} }
$keys = ['', "\0", "\0a", 'a', 'b', 'c', "a\0b", 'long' . str_repeat('k', 300)];
$key = fn() => $keys[mt_rand(0, count($keys) - 1)];
$keyed = fn() => mt_rand(0, 19) ? $key() : [null, true, 1.5][mt_rand(0, 2)];
$list = fn() => array_values(array_unique(array_map($key, range(0, mt_rand(0, 4)))));
/* Makes holes in an array, removes the last element, and moves the pointer. After a fetch, the array must be as after unserialize(). */
$shaped = function (array $a): array { for ($n = mt_rand(0, 3); $n > 0; $n--) unset($a[array_rand($a)]); if (mt_rand(0, 1)) array_pop($a); for ($n = mt_rand(0, 3); $n > 0; $n--) next($a); return $a; };
$state = function ($v) { if (!is_array($v) || count($v) > 60) return null; $k = key($v); $v[] = 1; return [$k, array_key_last($v)]; };
/* Returns a value that cannot be stored, or that comes back changed: a closure, a generator or a resource, alone or in another value. */
$bad = fn() => match (mt_rand(0, 7)) { 0 => fn() => 1, 1 => [1, [fn() => 1]], 2 => new Holder(fn() => 1), 3 => STDIN, 4 => [[STDIN], 2], 5 => ['x' => new Holder(STDIN)], 6 => new Holder(new Holder(new SplFileInfo('x'))), 7 => [(function () { yield 1; })()] };
$value = fn() => mt_rand(0, 14) === 0 ? $bad() : match (mt_rand(0, 11)) { 10 => $shaped(range(0, mt_rand(5, 20))), 11 => ['in' => $shaped(['x' => 1, 'y' => 2, 7 => 3, -2 => 4, 12 => 5])], 0 => null, 1 => mt_rand(0, 1) === 1, 2 => mt_rand(0, 5) / 2, 3 => str_repeat('s', mt_rand(0, 300)), 4 => range(0, mt_rand(0, 50)), 5 => ['x' => ['y' => mt_rand()]], 6 => new Point(mt_rand(0, 9)), default => mt_rand(-3, 3) };
/* Keeps at most one value whose serialization throws, and puts it at the end, because APCu serializes no object after it. */
$last = function (array $values): array { $throws = function ($v) { try { serialize($v); return 0; } catch (Exception $e) { return 1; } }; $bad = array_filter($values, $throws); return array_diff_key($values, $bad) + array_slice($bad, 0, 1, true); };
$several = function () use ($list, $value, $last) { $values = []; foreach ($list() as $k) $values[$k] = $value(); return $last($values); };
$ttl = fn() => [0, 0, 1000][mt_rand(0, 2)];
mt_srand($argv[1]);
for ($i = 0; $i < 5000; $i++) {
    $s = 'unset';
    $what = mt_rand(0, 17);
    try { $got = match ($what) {
        0, 1 => apcu_store($key(), $value(), $ttl()), 2 => apcu_store($several(), null, $ttl()), 3 => apcu_add($key(), $value(), $ttl()), 4 => apcu_add($several()),
        5, 6 => [apcu_fetch($keyed(), $s), $s], 7 => [apcu_fetch($list(), $s), $s], 8 => apcu_exists($keyed()), 9 => apcu_exists($list()),
        10 => apcu_delete($keyed()), 11 => apcu_delete($list()), 12 => [apcu_inc($key(), mt_rand(-2, 2), $s, $ttl()), $s], 13 => [apcu_dec($key(), mt_rand(-2, 2), $s), $s],
        14 => apcu_cas($key(), mt_rand(-3, 3), mt_rand(-3, 3)), 15 => apcu_entry($key(), fn($k) => [$k, $value()], $ttl()),
        16 => (function ($all) { ksort($all); return $all; })(iterator_to_array(new APCUIterator(mt_rand(0, 1) ? '/^a/' : $list(), APC_ITER_KEY | APC_ITER_VALUE | APC_ITER_TYPE))),
        17 => mt_rand(0, 9) ? [(apcu_key_info($k = $key()) ?? ['ttl' => 'none'])['ttl'] > 0, apcu_cache_info(true)['num_entries']] : apcu_delete(new APCUIterator('/^[ab]$/')),
    }; } catch (Exception $e) { for ($got = [$s]; $e !== null; $e = $e->getPrevious()) $got[] = get_class($e) . ': ' . $e->getMessage(); $got = array_slice($got, 0, $argv[2] ?? 9); }
    $fetched = $what === 5 || $what === 6 ? $got[0] : null;
    $seen = is_array($fetched) ? [$state($fetched), $state($fetched['in'] ?? null)] : [];
    echo "$i $what ", md5(serialize([$got, $seen])), ' ', substr(json_encode($got, JSON_PARTIAL_OUTPUT_ON_ERROR), 0, 100), "\n";
}
PHP;
$file = tempnam(sys_get_temp_dir(), 'larder');
file_put_contents($file, "<?php $script");
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d extension_dir=' . escapeshellarg(ini_get('extension_dir'));
/* Run with the default format, and with the serializers that apc.serializer can choose. */
$modes = [['', range(1, 10)], ['-d apc.serializer=php', [11, 12]]];
if (is_file(ini_get('extension_dir') . '/igbinary.so')) $modes[] = ['-d extension=igbinary -d apc.serializer=igbinary', [13, 14]];
foreach ($modes as [$mode, $seeds]) foreach ($seeds as $seed) {
    $exceptions = str_contains($mode, 'igbinary') ? 2 : 9; /* compare at most this number of exceptions: APCu may call igbinary twice, and then throws more */
    $theirs = shell_exec("$php -d extension=apcu -d apc.enable_cli=1 $mode $file $seed $exceptions 2>&1");
    $ours = shell_exec("$php -d extension=" . escapeshellarg($so) . " -d larder.compat=apcu $mode $file $seed $exceptions 2>&1");
    if (substr_count($theirs, "\n") < 5000) die($theirs);
    foreach (explode("\n", $theirs) as $i => $line)
        if ($line !== explode("\n", $ours)[$i]) die("$mode seed $seed: APCu $line\nLarder " . explode("\n", $ours)[$i] . "\n");
}
unlink($file);
echo "the same\n";
--EXPECT--
the same
