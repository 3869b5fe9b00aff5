--TEST--
larder: compat opcache: each class works on the store of Larder's class of that name
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
--SKIPIF--
<?php
if (class_exists('OPcache\VolatileCache') && (new ReflectionClass('OPcache\VolatileCache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
use OPcache\VolatileCache;
use OPcache\PinnedCache;

class Point { public function __construct(public int $x, public array $list) {} }
foreach (['VolatileCache', 'PinnedCache'] as $name) {
    [$ours, $theirs] = ["Larder\\$name", "OPcache\\$name"];
    var_dump($theirs::set('k', [1, 'two' => new Point(3, [4])]), $ours::get('k') == $theirs::get('k'));
    $ours::set('from larder', range(1, 100));
    var_dump($theirs::get('from larder') === range(1, 100), $theirs::has('from larder'), $theirs::get('none'), $theirs::get('none', 'default'));
    var_dump($theirs::setMultiple(['a' => 1, 'b' => null]));
    var_dump(json_encode($theirs::getMultiple(['a', 'b', 'c'], ['b' => 'x', 'c' => 'default'])));
    var_dump($theirs::delete('a'), $theirs::delete('a'), $ours::has('a'), $theirs::deleteMultiple(['b', 'k']), $theirs::deleteMultiple(['b']));
    var_dump($theirs::lock('l'), $ours::lock('l'), $theirs::unlock('l'), $theirs::unlock('l'));
    var_dump($theirs::clear(), $ours::has('from larder'));
}
VolatileCache::set('short', 1, 10000);
VolatileCache::set('shorter', 1, 0.05);
usleep(150000);
var_dump(VolatileCache::has('short'), VolatileCache::has('shorter'), PinnedCache::has('short'));
var_dump(PinnedCache::increment('n'), PinnedCache::increment('n', 4), PinnedCache::decrement('n', 2), PinnedCache::decrement('new'));
PinnedCache::set('text', 'x');
var_dump(PinnedCache::increment('text'));
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
NULL
string(7) "default"
bool(true)
string(30) "{"a":1,"b":null,"c":"default"}"
bool(true)
bool(false)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(true)
NULL
string(7) "default"
bool(true)
string(30) "{"a":1,"b":null,"c":"default"}"
bool(true)
bool(false)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(false)
int(1)
int(5)
int(3)
int(-1)
bool(false)
