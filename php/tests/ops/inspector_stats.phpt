--TEST--
larder: ops: Inspector::stats() has what its documentation lists, and says whose values a store has
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); if (!extension_loaded('session')) die('skip needs sessions'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
use Larder\Inspector;

/* The comment of stats() is a list. Its items have the form "name: meaning." or "Part: name (meaning), name by cause and name. More." */
preg_match('~/\*\*((?:(?!\*/).)*)\*/\s+public function stats\(~s', file_get_contents(__DIR__ . '/../../src/ops/inspector.stub.php'), $match);
$items = array_slice(preg_split('~^ *- ~m', preg_replace('~^ *\* ?~m', '', $match[1])), 1);
$listed = [];
foreach ($items as $item) {
    [$title, $names] = explode(':', preg_replace('/\([^)]*\)/', '', $item), 2);
    $names = preg_replace('/ by \w+/', '', preg_split('/\.\s/', "$names ")[0]);
    array_push($listed, ...(ctype_lower($title) ? [$title] : preg_split('/[\s,]+(?:and )?/', $names, -1, PREG_SPLIT_NO_EMPTY)));
}
$given = json_decode(ops_php('', 'echo json_encode(array_keys(Larder\Inspector::own("volatile")->stats()));')); /* in another process, because the
store of this process may take the addresses of other stores */
echo json_encode([array_values(array_diff($listed, $given)), array_values(array_diff($given, $listed))]), "\n";

$folder = ops_folder();
$start = hrtime(true);
ops_php("-d larder.path=$folder", 'V::set("k", 1); Larder\Queue::open("q")->push(1); Larder\Inspector::own("session");');
$look = function (string $store) use ($folder): void {
    $stats = Inspector::open(Inspector::path($store, 'default', $folder))->stats();
    echo "$store ", preg_match('/^php\d+,/', $stats['abi']) ? 'php' : $stats['abi'], ' ', json_encode($stats['readable']), "\n";
};
array_map($look, ['volatile', 'session', 'queue']);
$up = fn (): float => Inspector::open(Inspector::path('volatile', 'default', $folder))->stats()['uptime'];
$first = $up();
usleep(50000);
$second = $up();
var_dump($second - $first >= 0.049 && $second <= (hrtime(true) - $start) / 1e9 + 0.002); /* uptime counts from the creation of the store */
echo "-- another PHP's\n";
foreach (['volatile', 'queue'] as $store) {
    ops_other_abi(Inspector::path($store, 'default', $folder));
    $look($store);
}
?>
--EXPECT--
[[],[]]
volatile php true
session session,2 true
queue php true
bool(true)
-- another PHP's
volatile php false
queue php false
