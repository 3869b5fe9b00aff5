--TEST--
larder: compat_apcu: apc.serializer, and immutable_cache.serializer, set to php or igbinary store in less memory; others say that they do not
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!is_file(ini_get('extension_dir') . '/igbinary.so')) die('skip needs igbinary');
?>
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d html_errors=0 -d display_errors=1 -d extension_dir=' . escapeshellarg(ini_get('extension_dir')) . ' -d extension=' . escapeshellarg($so) . ' -d larder.compat=apcu,immutable_cache';
$code = <<<'PHP'
class Entity { public function __construct(public int $id, public string $name, public array $tags, public ?Entity $parent = null) {} }
final class Hooked { public array $seen = []; public function __construct(public int $x) {} public function __serialize(): array { return ['x' => $this->x, 't' => apcu_store('by hook', $this->x)]; } public function __unserialize(array $d): void { $this->x = $d['x']; $this->seen[] = apcu_fetch('by hook'); } }
mt_srand(1);
$rows = array_map(fn($i) => ['id' => $i, 'name' => "name $i", 'price' => $i / 8, 'tags' => ['a', 'b', $i]], range(0, 4999));
$strings = array_map(fn($i) => "string number $i", range(0, 999));
$entities = array_map(fn($i) => new Entity($i, "entity $i", ['x', $i]), range(0, 1999));
$bytes = [];
foreach (['rows' => $rows, 'strings' => $strings, 'entities' => $entities, 'odd' => [1 => 'x', 5 => [[], null, 1.5, true], 'k' => "\0"], 'string' => str_repeat('s', 5000), 'int' => 5, 'empty' => []] as $name => $value) {
    if (!apcu_store($name, $value) || !immutable_cache_add($name, $value) || apcu_fetch($name) != $value || immutable_cache_fetch($name) != $value) echo "$name: wrong\n";
    $bytes[$name] = [strlen(igbinary_serialize($value)), strlen(serialize($value)), ...array_column(iterator_to_array(new APCUIterator(["$name"], APC_ITER_MEM_SIZE)), 'mem_size'), ...array_column(iterator_to_array(new ImmutableCacheIterator("/^$name$/", IMMUTABLE_CACHE_ITER_MEM_SIZE)), 'mem_size')];
}
foreach (['rows', 'strings', 'entities'] as $name) {
    [$igbinary, $text, $apcu, $immutable] = $bytes[$name];
    $is = fn($size) => abs($size - $igbinary) < 64 ? 'igbinary' : (abs($size - $text) < 64 ? 'php' : 'shared');
    echo $name, ' ', $is($apcu), ' ', $is($immutable), '; ';
}
apcu_store('hooked', ['h' => new Hooked(3)]); $h = apcu_fetch('hooked')['h']; echo json_encode([$h->x, $h->seen]), ' ';
try { apcu_store('closure', [fn() => 1]); } catch (Exception $e) { echo $e->getMessage(), ' '; }
echo json_encode([apcu_exists('closure'), apcu_add('odd', [2]), apcu_add('new', [2]), apcu_fetch('new'), apcu_entry('e', fn() => [[1]]), apcu_fetch('e'), apcu_inc('int'), apcu_store('gone', [1], -1), apcu_exists('gone')]), "\n";
PHP;
$igbinary = '-d extension=igbinary';
foreach (['', '-d apc.serializer=default -d immutable_cache.serializer=default', '-d apc.serializer=php -d immutable_cache.serializer=php', '-d apc.serializer=igbinary', '-d immutable_cache.serializer=igbinary', '-d apc.serializer=nonsense'] as $settings)
    echo "[$settings]\n", shell_exec("$php $igbinary $settings -r " . escapeshellarg($code) . ' 2>&1');
echo "without igbinary: ", trim(shell_exec("$php -d apc.serializer=igbinary -r 'var_dump(apcu_store(\"k\", [[1]]), apcu_fetch(\"k\") === [[1]]);' 2>&1")), "\n";
/* In a process without igbinary, a value that igbinary has packed is a miss. The entry stays. */
$folder = sys_get_temp_dir() . '/larder-serializer-' . getmypid(); mkdir($folder);
register_shutdown_function(function () use ($folder) { array_map("unlink", glob("$folder/larder-*/*")); array_map("rmdir", glob("$folder/larder-*")); rmdir($folder); });
echo shell_exec("$php $igbinary -d larder.path=$folder -d apc.serializer=igbinary -r 'var_dump(apcu_store(\"k\", [[1]]));'"), shell_exec("$php -d larder.path=$folder -r 'var_dump(apcu_fetch(\"k\"), apcu_exists(\"k\"));'"), shell_exec("$php $igbinary -d larder.path=$folder -r 'var_dump(apcu_fetch(\"k\") === [[1]]);'");
--EXPECT--
[]
rows shared shared; strings shared shared; entities shared shared; [3,[3]] Serialization of 'Closure' is not allowed [false,false,true,[2],[[1]],[[1]],6,true,false]
[-d apc.serializer=default -d immutable_cache.serializer=default]
rows shared shared; strings shared shared; entities shared shared; [3,[3]] Serialization of 'Closure' is not allowed [false,false,true,[2],[[1]],[[1]],6,true,false]
[-d apc.serializer=php -d immutable_cache.serializer=php]
rows php php; strings php php; entities php php; [3,[3]] Serialization of 'Closure' is not allowed [false,false,true,[2],[[1]],[[1]],6,true,false]
[-d apc.serializer=igbinary]
rows igbinary shared; strings igbinary shared; entities igbinary shared; [3,[3]] Serialization of 'Closure' is not allowed [false,false,true,[2],[[1]],[[1]],6,true,false]
[-d immutable_cache.serializer=igbinary]
rows shared igbinary; strings shared igbinary; entities shared igbinary; [3,[3]] Serialization of 'Closure' is not allowed [false,false,true,[2],[[1]],[[1]],6,true,false]
[-d apc.serializer=nonsense]

Warning: apc.serializer = "nonsense": must be default, php or igbinary; values are stored as with "default" in Unknown on line 0
rows shared shared; strings shared shared; entities shared shared; [3,[3]] Serialization of 'Closure' is not allowed [false,false,true,[2],[[1]],[[1]],6,true,false]
without igbinary: Warning: apc.serializer = "igbinary": igbinary is not loaded; values are stored as with "default" in Unknown on line 0
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
