--TEST--
larder: compat user_cache: a request has one object for each pool it asked for
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
use UserCache\Cache;

var_dump(Cache::hasPool('a'), Cache::getPools());
$a = Cache::getPool('a');
$b = Cache::getPool('b');
var_dump($a === Cache::getPool('a'), $a === $b, Cache::hasPool('a'), Cache::hasPool('c'), array_keys(Cache::getPools()), Cache::getPools()['a'] === $a);
var_dump($a->store('k', 'of a'), $b->store('k', 'of b'), $a->fetch('k'), $b->fetch('k'));
var_dump($a->clear(), $a->has('k'), $b->fetch('k'));
$a->store('k', 'again');
var_dump(Cache::deletePool('a'), Cache::hasPool('a'), array_keys(Cache::getPools()), $a->has('k'));
var_dump(Cache::getPool('a') !== $a, Cache::getPool('a')->fetch('k', 'MISS'), $b->fetch('k'), Cache::deletePool('unknown'));
Cache::deletePool('a');
var_dump($a->store('k', 1), $a->fetch('k'), Cache::hasPool('a'), Cache::getPool('a')->fetch('k'));
// Values that were stored before deletePool() never come back.
$d = Cache::getPool('d');
for ($i = 0; $i < 5; $i++) {
    $d->store("k$i", 1);
    Cache::deletePool('d');
    $d->store('now', 1);
    for ($j = 0; $j <= $i; $j++) if ($d->has("k$j")) echo "back: $j\n";
    Cache::deletePool('d');
}
$number = Cache::getPool('123');
var_dump(isset(Cache::getPools()['123']), Cache::getPools()[123] === $number, Cache::deletePool('123'), Cache::hasPool('123'));
// VolatileCache::pool('b') is the same pool as $b.
$b->store('shared', [1]);
var_dump(Larder\VolatileCache::pool('b')->get('shared'));
// A change of the returned list does not delete a pool.
$pools = Cache::getPools();
unset($pools['b']);
var_dump(Cache::hasPool('b'));
--EXPECT--
bool(false)
array(0) {
}
bool(true)
bool(false)
bool(true)
bool(false)
array(2) {
  [0]=>
  string(1) "a"
  [1]=>
  string(1) "b"
}
bool(true)
bool(true)
bool(true)
string(4) "of a"
string(4) "of b"
bool(true)
bool(false)
string(4) "of b"
bool(true)
bool(false)
array(1) {
  [0]=>
  string(1) "b"
}
bool(false)
bool(true)
string(4) "MISS"
string(4) "of b"
bool(true)
bool(true)
int(1)
bool(false)
int(1)
bool(true)
bool(true)
bool(true)
bool(false)
array(1) {
  [0]=>
  int(1)
}
bool(true)
