--TEST--
larder: ops: get finds an entry in little memory among many whose keys begin with its key, and a list that memory_limit ends says so
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
foreach (['Failure', 'Facts', 'Operations', 'Printer', 'Text'] as $class) {
    require dirname(__DIR__, 3) . "/ops/src/$class.php";
}
$folder = ops_folder();
$in = ['--folder', $folder, '--scope', 'app'];
ops_php("-d larder.path=$folder -d larder.scope=app -d larder.volatile_size=64M", 'for ($i = 100000; $i-- > 0;) V::set("user:1$i", $i); V::set("user:1", "found"); V::pool("p")->set("user:1", "of a pool");');
$operations = new Larder\Ops\Operations(['volatile' => Larder\Inspector::path('volatile', 'app', $folder)]);
foreach (['user:1', 'user:', 'user:12345'] as $key) {
    $before = memory_get_usage();
    memory_reset_peak_usage();
    $answer = $operations->run('get', ['key' => $key, 'details' => true, 'form' => 'json']);
    echo "$key: ", $answer['found'] ? "{$answer['json']}, {$answer['entry']['key']}, " . var_export($answer['entry']['pool'], true) : 'none, there ' . var_export($answer['there'], true), "\n";
    var_dump(memory_get_peak_usage() - $before < 1_000_000);
}
$command = array_merge([ops_command()[0], '-d', 'memory_limit=8M'], array_slice(ops_command('keys', '--long', ...$in), 1));
foreach (['', '--limit 2'] as $limit) {
    exec(implode(' ', array_map(escapeshellarg(...), $command)) . " $limit 2>&1 >/dev/null", $lines, $code);
    echo preg_replace('/(?: at \S+:\d+)? \(tried to allocate \d+/', ' (tried to allocate N', implode("", array_map(fn($line) => "$line\n", $lines))), "code $code\n";
    $lines = [];
}
exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>/dev/null', $lines);
echo count($lines), " lines on standard output\n";
?>
--EXPECT--
user:1: "found", user:1, NULL
bool(true)
user:: none, there false
bool(true)
user:12345: 2345, user:12345, NULL
bool(true)
larder: Allowed memory size of 8388608 bytes exhausted (tried to allocate N bytes); ask for fewer entries (--prefix, --limit), or raise memory_limit in php.ini
code 1
code 0
0 lines on standard output
