--TEST--
larder: object: classes and properties whose names have the same hash are told apart
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded("posix")) die("skip needs posix");
?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';
use Larder\VolatileCache;

/* "ar" and "c0" have the same hash in PHP. Two strings that differ only in these letters have the same hash, too. */
class Bar { public $x = 1; }
class Bc0 { public $x = 2; }
enum Ear { case One; }
enum Ec0 { case One; }
VolatileCache::set('both', [new Bar, new Bc0, Ear::One, Ec0::One]);
foreach ([1, 2] as $fetch) {
    echo implode(' ', array_map(fn($object) => get_class($object) . (isset($object->x) ? $object->x : ''), VolatileCache::get('both'))), "\n";
}
VolatileCache::set('one', new Bc0);
VolatileCache::set('other', new Bar);
echo get_class(VolatileCache::get('one')), ' ', get_class(VolatileCache::get('other')), "\n";

/* In the second request, the class has another property in the place of the first one. */
$ask = server(<<<'CODE'
    if ($n === 0) {
        class Renamed { public $ar = 'before'; }
        VolatileCache::set('renamed', new Renamed);
    } else {
        eval('class Renamed { public $c0 = "after"; }');
    }
    echo json_encode(VolatileCache::get('renamed'));
    CODE, 0);
echo $ask(0), ' ', $ask(1), "\n";
?>
--EXPECT--
Bar1 Bc02 Ear Ec0
Bar1 Bc02 Ear Ec0
Bc0 Bar
{"ar":"before"} null
