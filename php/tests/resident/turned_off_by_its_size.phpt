--TEST--
larder: resident: larder.resident_size=0 turns it off, also for what was stored while it was on
--EXTENSIONS--
larder
--INI--
larder.resident_size=0
--FILE--
<?php
use Larder\VolatileCache;
final readonly class Item { public function __construct(public mixed $v = 1) {} }
VolatileCache::set('k', new Item([new Item]));
$a = VolatileCache::get('k'); $b = VolatileCache::get('k');
var_dump(VolatileCache::getCacheStoreType('k')->name, $a === $b, $a == $b, spl_object_id($a) < 100);

$so = preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m) ? $m[1] : '';
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$dir = sys_get_temp_dir() . '/larder-test-' . getmypid(); mkdir($dir, 0700);
$run = fn (string $size, string $code) => print(shell_exec("$php -n -d extension=$so -d larder.path=$dir -d larder.volatile_size=2M -d larder.resident_size=$size -r " . escapeshellarg("use Larder\\VolatileCache as C; final readonly class Item { public function __construct(public mixed \$v = 1) {} } $code") . ' 2>&1') . "\n");
$run('1M', 'C::set("k", [new Item]); echo C::getCacheStoreType("k")->name, C::get("k")[0] === C::get("k")[0] ? " same" : " anew";');
$run('0', 'echo C::getCacheStoreType("k")->name, C::get("k")[0] === C::get("k")[0] ? " same" : " anew";');
$run('0', 'C::set("k", [new Item(2)]);');
$run('64M', 'echo C::getCacheStoreType("k")->name, C::get("k")[0] === C::get("k")[0] ? " same" : " anew";');
$run('oops', 'echo C::get("k")[0]->v;');
exec('rm -rf ' . escapeshellarg($dir));
?>
--EXPECTF--
string(11) "SharedGraph"
bool(false)
bool(true)
bool(true)
Resident same
SharedGraph anew

Resident same
%AWarning: larder.resident_size = "oops": must be 0 or a number of bytes; no objects are kept in workers in Unknown on line 0
2
