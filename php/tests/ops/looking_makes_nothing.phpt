--TEST--
larder: ops: php --ri makes no named store, no store claims more than its size, and a line of watch has 80 columns
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$settings = "-d larder.path=$folder -d larder.scope=t -d larder.volatile_size=2M -d larder.pinned_size=1M";
[$php, $n, $d, $extension] = ops_command();
$ri = fn() => (string) shell_exec("$php -n -d " . escapeshellarg($extension) . " $settings --ri larder");
echo "-- php --ri\n", preg_match_all('/^Store => .*, which is made when it is first used$/m', $ri()), ' ', count(glob("$folder/*")), "\n";
ops_php($settings, 'V::set("k", 1);');
echo preg_match_all('/^Entries => 1 of/m', $ri()), ' ', implode(' ', array_map(basename(...), glob("$folder/*/t-*[de]"))), "\n";

echo "-- claimed\n";
echo ops_php($settings, 'for ($i = 0; $i < 30000; $i++) { V::set("s$i", "small"); V::set("l$i", str_repeat("x", 20000)); }
    $s = Larder\Inspector::own("volatile")->stats();
    var_dump($s["size"], $s["claimed"] <= $s["size"], $s["claimed"] > $s["size"] * 0.9, V::info()->used_memory === $s["claimed"] || V::info()->shared_memory <= $s["size"]);');

echo "-- watch\n";
foreach (explode("\n", trim(ops_larder('watch', '-c', '1', '-i', '0.01', '--scope', 't', '--folder', $folder))) as $line) {
    echo strlen($line) < 80 ? 'fits' : $line, "\n";
}
?>
--EXPECT--
-- php --ri
4 0
1 t-volatile
-- claimed
int(2097152)
bool(true)
bool(true)
bool(true)
-- watch
fits
fits
