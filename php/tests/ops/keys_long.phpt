--TEST--
larder: ops: keys --long shows the form and both sizes of each entry, and top does so if an entry is packed
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$in = ['--folder', $folder, '--scope', 'app'];
ops_php("-d larder.path=$folder -d larder.scope=app -d larder.volatile_size=8M", '
    $rows = array_map(fn($i) => ["id" => $i, "name" => "name $i"], range(1, 50));
    V::set("ready", $rows); V::set("packed", $rows, form: "packed"); V::set("text", str_repeat("text ", 1000), form: "packed");
    V::set("n", 5); V::pool("p")->set("in", "pool");');
$table = function (string $text): string {
    $lines = explode("\n", trim(preg_replace('/ +\d+\.\ds +/', ' AGE ', $text)));
    $head = array_shift($lines);
    usort($lines, fn($a, $b) => strrchr($a, ' ') <=> strrchr($b, ' '));
    return implode("\n", array_map(fn($line) => preg_replace('/ +/', ' ', trim($line)), [$head, ...$lines])) . "\n";
};
echo $table(ops_larder('keys', '--long', ...$in)), $table(ops_larder('keys', 'r', '-l', ...$in)), $table(ops_larder('top', '--prefix', 'pa', ...$in)), $table(ops_larder('top', '--prefix', 'n', ...$in));
foreach (json_decode(ops_larder('keys', '--long', '--json', '-o', 'key', ...$in)) as $entry) echo "$entry->key $entry->form $entry->type ", $entry->ready <=> $entry->size, "\n";
echo ops_larder('keys', '--long', '--null', ...$in);
?>
--EXPECTF--
SIZE READY FORM USES AGE LEFT TYPE KEY
40 8 ready 0 - - int n
52 4 ready 0 AGE - string p/in
419 %fK packed 0 AGE - array packed
%fK %fK ready 0 AGE - array ready
82 4.9K packed 0 AGE - string text
SIZE READY FORM USES AGE LEFT TYPE KEY
%fK %fK ready 0 AGE - array ready
SIZE READY FORM USES AGE LEFT TYPE KEY
419 %fK packed 0 AGE - array packed
SIZE USES AGE LEFT TYPE KEY
40 0 - - int n
in ready string 0
n ready int 0
packed packed array 1
ready ready array 0
text packed string 1
larder: only one of --long and --null may be given
exit code 2
