--TEST--
larder: ops: stats and metrics count repairs that dropped damaged data, and full file systems; damaged counts are shown
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
foreach (glob(dirname(__DIR__, 3) . '/ops/src/*.php') as $file) {
    require_once $file;
}
$folder = ops_folder();
ops_php("-d larder.path=$folder -d larder.scope=d -d larder.volatile_size=2M", 'V::set("damaged-key", str_repeat("text ", 50)); V::set("other-key", 1);');
$path = glob("$folder/*/d-volatile")[0];
$show = function () use ($path): void {
    echo implode("\n", preg_grep('/entries|damage|folder/', explode("\n", ops_larder('stats', '--path', $path)))), "\n";
    echo implode("\n", preg_grep('/^larder_(entries|repairs|memory_short)/', explode("\n", ops_larder('stats', '--openmetrics', '--path', $path)))), "\n";
};
$show();

echo "-- the head of an entry is overwritten while no process uses the store\n";
$file = fopen($path, 'r+');
$from = filesize($path) - (3 << 20); // the entries are in the last 3 MB of the file
fseek($file, $from);
$at = strpos(stream_get_contents($file), 'damaged-key');
fseek($file, $from + $at - 32);
fwrite($file, str_repeat("\xff", 32));
fclose($file);
$show();
echo ops_larder('fsck', '--path', $path), ops_larder('get', 'other-key', '--path', $path);

echo "-- a full file system, and counts whose sum is no int\n";
$stats = (new Larder\Ops\Operations(['volatile' => $path]))->run('stats', []);
$store = &$stats['stores']['volatile'];
$store['memory_short'] = 2;
$store['refusal_causes'] = ['full' => 1 << 62, 'index' => 1 << 62];
$command = new Larder\Ops\Command('', '');
(new ReflectionProperty($command, 'options'))->setValue($command, new Larder\Ops\Options([]));
echo implode("\n", preg_grep('/refused|folder|fits|full|index/', explode("\n", (new ReflectionMethod($command, 'describe'))->invoke($command, 'volatile', $store)))), "\n";
echo implode("\n", preg_grep('/^larder_(refusals.*(full|index|other)|memory_short)/', explode("\n", Larder\Ops\OpenMetrics::text($stats)))), "\n";
?>
--EXPECT--
  entries   2
larder_repairs_total{store="volatile"} 0
larder_memory_short_total{store="volatile"} 0
larder_entries{store="volatile"} 2
-- the head of an entry is overwritten while no process uses the store
  entries   1
  damage    1 repair dropped damaged data
larder_repairs_total{store="volatile"} 1
larder_memory_short_total{store="volatile"} 0
larder_entries{store="volatile"} 1
no violation in the volatile store
1
-- a full file system, and counts whose sum is no int
  refused   0 (full 4,611,686,018,427,387,904, index 4,611,686,018,427,387,904)
  folder    its file system was found full 2 times; the store holds no more than
            fits there
larder_memory_short_total{store="volatile"} 2
larder_refusals_total{store="volatile",cause="full"} 4611686018427387904
larder_refusals_total{store="volatile",cause="index"} 4611686018427387904
larder_refusals_total{store="volatile",cause="other"} 0
