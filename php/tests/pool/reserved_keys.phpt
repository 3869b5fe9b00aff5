--TEST--
larder: pool: the cache's own keys cannot be reached or seen through VolatileCache and PinnedCache
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

$p = VolatileCache::pool('p');
$p->set('k', 'v');
$p->lock('k');
$p->get('k');
VolatileCache::set('mine', 1);
var_dump(VolatileCache::keys(), VolatileCache::keys("\0"));
$record = "\0lrdrp";
$calls = [
    fn($c) => $c::get($record), fn($c) => $c::getMultiple([$record]), fn($c) => $c::set($record, 1),
    fn($c) => $c::setMultiple([$record => 1]), fn($c) => $c::add($record, 1), fn($c) => $c::has($record),
    fn($c) => $c::delete($record), fn($c) => $c::deleteMultiple([$record]), fn($c) => $c::increment($record),
    fn($c) => $c::lock($record), fn($c) => $c::unlock($record), fn($c) => $c::remember($record, fn() => 1),
    fn($c) => $c::keyInfo($record), fn($c) => $c::getCacheStoreType($record), fn($c) => $c::get("\0lrd"),
    fn() => VolatileCache::touch($record, 1),
];
foreach ($calls as $i => $call)
    foreach ([VolatileCache::class, PinnedCache::class] as $class)
        try { $call($class); echo "$i: reached\n"; }
        catch (ValueError $e) { if ($i === 0 || $i === 1) echo $e->getMessage(), "\n"; }
var_dump($p->get('k'));
// Keys that only resemble a reserved key are allowed. A pool accepts any key.
foreach (["\0", "\0lr", "\0lre", "lrd", "\0LRD"] as $key)
    if (!VolatileCache::set($key, $key) || VolatileCache::get($key) !== $key) echo "refused\n";
var_dump($p->set($record, 'x'), $p->get($record), $p->set("\0", 'y'), $p->get("\0"));
--EXPECT--
array(1) {
  [0]=>
  string(4) "mine"
}
array(0) {
}
Larder\VolatileCache::get(): Argument #1 ($key) must not begin with "\0lrd", which is reserved
Larder\PinnedCache::get(): Argument #1 ($key) must not begin with "\0lrd", which is reserved
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must not contain keys that begin with "\0lrd", which is reserved
Larder\PinnedCache::getMultiple(): Argument #1 ($keys) must not contain keys that begin with "\0lrd", which is reserved
string(1) "v"
bool(true)
string(1) "x"
bool(true)
string(1) "y"
