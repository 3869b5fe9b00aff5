--TEST--
larder: ops: keys and names of pools are shown without control and invisible characters, and are accepted as shown; JSON has them exactly
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
$folder = ops_folder();
$in = ['--folder', $folder, '--scope', 'app'];
$keys = ["right\u{202e}left", 'right\xe2\x80\xaeleft', "\u{2066}isolated\u{2069}", "mark\u{200f}\u{61c}", "joined\u{200b}\u{200d}\u{feff}", "line\u{2028}\u{2029}", "escape\e[31m", "csi\u{9b}31m", "delete\x7f", "tag\u{e0041}",
    "é \u{1f600} \u{5d0}", "bytes\xff\u{202e}", 'back\slash'];
$fill = 'foreach (unserialize(base64_decode("' . base64_encode(serialize($keys)) . '")) as $key) %s::set($key, 1); %s::pool("pool\u{202e}")->set("in\u{202e}", 1);';
ops_php("-d larder.path=$folder -d larder.scope=app -d larder.volatile_size=8M", sprintf($fill, 'V', 'V'));
$unseen = '/[\p{Cf}\p{Zl}\p{Zp}]|(?!\n)\p{Cc}/u';
$lines = fn (string $text) => explode("\n", trim($text));

$shown = array_diff($lines(ops_larder('keys', ...$in)), ['pool\xe2\x80\xae/in\xe2\x80\xae']);
sort($shown);
echo implode("\n", $shown), "\n";
echo "-- each of them is one key\n";
foreach ($shown as $key) {
    ops_larder('get', $key, ...$in) === "1\n" && ops_larder('keys', $key, ...$in) === "$key\n" || print("$key is not found\n");
}
echo ops_larder('del', 'right\xe2\x80\xaeleft', ...$in), ops_larder('keys', 'right', ...$in);
echo "-- the pool\n", preg_match($unseen, $top = ops_larder('top', '-n', '100', ...$in)), ' ', preg_match('~pool\S*/in\S*~', $top, $m), ' ', $m[0], "\n";

echo "-- JSON\n";
$json = ops_larder('keys', '--json', ...$in);
$exact = json_decode($json);
$text = array_diff($keys, ["right\u{202e}left", "bytes\xff\u{202e}"]); // the first key was deleted; the second is not UTF-8, so JSON lacks it
echo json_encode([preg_match($unseen, $json), array_diff($text, $exact), str_contains($json, '\u007f'), str_contains($json, "\u{1f600}")]), "\n";

echo "-- the dashboard\n";
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . " $folder/larder.php");
putenv('LARDER_DASHBOARD=read');
$serve = server('if ($n === 1) {' . sprintf($fill, 'VolatileCache', 'VolatileCache') . "} else require '$folder/larder.php';", 0, 'larder.volatile_size=8M');
$serve(1);
$ask = fn (array $query) => json_decode(file_get_contents('http://' . (new ReflectionFunction($serve))->getStaticVariables()['address'] . '/?' . http_build_query($query)), true);
$entries = $ask(['api' => 'entries', 'limit' => 100])['entries'];
$names = array_column(array_filter($entries, fn (array $entry) => $entry['pool'] === null), 'key');
sort($names);
echo json_encode([$names === $shown, array_values(array_filter(array_column($entries, 'pool'))), array_keys($ask(['api' => 'totals'])['totals'])]), "\n";
echo json_encode(array_column($ask(['api' => 'entries', 'limit' => 100, 'prefix' => 'right\xe2'])['entries'], 'key')), "\n";
?>
--EXPECT--
\xe2\x81\xa6isolated\xe2\x81\xa9
back\\slash
bytes\xff\xe2\x80\xae
csi\xc2\x9b31m
delete\x7f
escape\x1b[31m
joined\xe2\x80\x8b\xe2\x80\x8d\xef\xbb\xbf
line\xe2\x80\xa8\xe2\x80\xa9
mark\xe2\x80\x8f\xd8\x9c
right\\xe2\\x80\\xaeleft
right\xe2\x80\xaeleft
tag\xf3\xa0\x81\x81
é 😀 א
-- each of them is one key
right\\xe2\\x80\\xaeleft
-- the pool
0 1 pool\xe2\x80\xae/in\xe2\x80\xae
-- JSON
[0,[],true,true]
-- the dashboard
[true,["pool\\xe2\\x80\\xae"],["pool\\xe2\\x80\\xae",""]]
["right\\xe2\\x80\\xaeleft"]