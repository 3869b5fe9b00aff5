--TEST--
larder: fpm: a store's file that is removed, replaced or truncated is noticed by the next request, which opens it again
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(...(posix_geteuid() === 0 ? ['www-data'] : []));
if (PHP_ZTS) die('skip a thread-safe PHP keeps the old mapping until the process ends');
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$fpm = new Fpm(['www' => ['php_admin_value[larder.path]' => '$FOLDER', 'php_admin_value[larder.scope]' => 'app', 'php_admin_value[larder.volatile_size]' => '4M']]);
$stores = $fpm->folder . '/log'; // all users may write there
$conf = $fpm->folder . '/fpm.conf';
file_put_contents($conf, strtr(file_get_contents($conf), ['$FOLDER' => $stores]));
$fpm->start();

/* These values outlive a request: an array, an object that the worker keeps, and a string that is a key. */
$use = '
    final readonly class Kept { public function __construct(public array $list, public string $name) {} }
    $value = fn (int $n) => ["array" => range(1, 500), "number" => $n, "name" => str_repeat("n", 200) . $n];
    $n = (int) ($_SERVER["N"] ?? 0);
    $before = V::get("array");
    $object = V::get("object");
    $sum = $before === null ? "nothing" : ($before === $value($before["number"]) ? "array " . $before["number"] : "WRONG");
    echo $sum, ", ", $object === null ? "nothing" : "object " . count($object->list) . $object->name, ", ", P::get("pinned") ?? "nothing", "; ";
    echo json_encode([V::set("array", $value($n)), V::set("object", new Kept(range(1, 100), "-$n")), P::set("pinned", $n), V::increment("count")]), "\n";
';
/* Calls $do with the path of the volatile store's file. After more than a second, sends two requests. */
$after = function (string $what, callable $do) use ($fpm, $use, $stores): void {
    static $n = 10;
    echo "-- $what\n";
    $worker = $fpm->workers('www');
    $do(glob("$stores/larder-*/app-volatile")[0]);
    usleep(1100000);
    for ($i = 0; $i < 2; $i++) {
        echo $fpm->run('www', $use, ['N' => (string) ++$n]);
    }
    $worker === $fpm->workers('www') || print("the worker died\n");
};
echo "-- at first\n", $fpm->run('www', $use, ['N' => '1']), $fpm->run('www', $use, ['N' => '2']);

$after('removed', fn ($file) => unlink($file));
$after('removed with all of its folder', fn ($file) => exec('rm -rf ' . escapeshellarg(dirname($file))));
$after('renamed', fn ($file) => rename($file, "$file.old"));
$after('truncated', fn ($file) => fclose(fopen($file, 'w')));
$after('truncated by half', function ($file) {
    $handle = fopen($file, 'r+');
    ftruncate($handle, filesize($file) >> 1);
});
$after('overwritten', function ($file) {
    $handle = fopen($file, 'r+');
    for ($left = filesize($file); $left > 0; $left -= 65536) {
        fwrite($handle, str_repeat("\0", min($left, 65536)));
    }
});
unlink(glob("$stores/larder-*/app-volatile")[0]); // Larder does not remove the overwritten file, because it is no store
fpm_wait(fn () => str_contains($fpm->run('www', $use, ['N' => '30']), 'true,true,true'));
$after('nothing', fn () => null);

echo "-- many times, and nothing piles up\n";
$mapped = fn () => substr_count(file_get_contents('/proc/' . $fpm->workers('www')[0] . '/maps'), $stores);
$before = $mapped();
for ($i = 0; $i < 3; $i++) {
    unlink(glob("$stores/larder-*/app-volatile")[0]);
    usleep(1100000);
    $fpm->run('www', $use);
}
var_dump($mapped() === $before, $before > 0);
echo preg_replace(['~/\S+/~', '~of \d+ bytes~', '~has \d+ bytes, its header says \d+~'], ['', 'of N bytes', 'has N bytes, its header says 2 N'], $fpm->said('www')), "\n";

echo "-- what is noticed by a write\n";
echo $fpm->run('www', '
    V::set("k", [1, 2, str_repeat("x", 1000)]);
    $held = V::get("k");
    unlink(glob("' . $stores . '/larder-*/app-volatile")[0]);
    for ($end = hrtime(true) + 20e9; V::set("other", [2]) && hrtime(true) < $end;) {
        usleep(10000);
    }
    var_dump(V::set("k", [2]), V::delete("k"), V::get("k") === $held, strlen($held[2]));
'), $fpm->run('www', 'var_dump(V::get("k"), V::set("k", 3), V::get("k"));');
--EXPECT--
-- at first
nothing, nothing, nothing; [true,true,true,1]
array 1, object 100-1, 1; [true,true,true,2]
-- removed
nothing, nothing, 2; [true,true,true,1]
array 11, object 100-11, 11; [true,true,true,2]
-- removed with all of its folder
nothing, nothing, nothing; [true,true,true,1]
array 13, object 100-13, 13; [true,true,true,2]
-- renamed
nothing, nothing, 14; [true,true,true,1]
array 15, object 100-15, 15; [true,true,true,2]
-- truncated
nothing, nothing, 16; [true,true,true,1]
array 17, object 100-17, 17; [true,true,true,2]
-- truncated by half
nothing, nothing, 18; [true,true,true,1]
array 19, object 100-19, 19; [true,true,true,2]
-- overwritten
nothing, nothing, 20; [false,false,true,false]
nothing, nothing, 21; [false,false,true,false]
-- nothing
array 30, object 100-30, 30; [true,true,true,2]
array 23, object 100-23, 23; [true,true,true,3]
-- many times, and nothing piles up
bool(true)
bool(true)
Larder: the volatile store is opened again: app-volatile: is gone, or another file now
Larder: the pinned store is opened again: app-pinned: is gone, or another file now
Larder: the volatile store is opened again: app-volatile: is not the file of N bytes any more that it was
Larder: the volatile store: app-volatile: was replaced by an empty store, as no process used it: the file has N bytes, its header says 2 N
Larder: the volatile store is off: LRD_EFORMAT: not a larder segment, or damaged: app-volatile: is not a larder segment; it was left as it is: remove it, or choose another name
Larder: the volatile store is on again
-- what is noticed by a write
bool(false)
bool(false)
bool(true)
int(1000)
NULL
bool(true)
int(3)