--TEST--
larder: getVersioned, replaceIf, deleteIf, compareAndSet: only what was seen is changed
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    var_dump($cache::getVersioned('k'));
    $cache::set('k', ['a']);
    [$value, $version] = $cache::getVersioned('k');
    var_dump($value === ['a'], $version === $cache::keyInfo('k')->version);
    var_dump($cache::replaceIf('k', ['b'], $version), $cache::replaceIf('k', ['c'], $version), $cache::get('k'));
    [, $next] = $cache::getVersioned('k');
    var_dump($next > $version, $cache::deleteIf('k', $version), $cache::deleteIf('k', $next), $cache::has('k'));
    var_dump($cache::replaceIf('k', 1, $next), $cache::deleteIf('k', $next), $cache::has('k'));
    $cache::set('n', 5);
    var_dump($cache::getVersioned('n'), $cache::compareAndSet('n', 4, 9), $cache::compareAndSet('n', 5, -9), $cache::get('n'));
    $cache::set('text', '5');
    var_dump($cache::compareAndSet('text', 5, 6), $cache::compareAndSet('none', 0, 1), $cache::has('none'));
}
VolatileCache::set('short', 'x');
VolatileCache::replaceIf('short', 'y', VolatileCache::getVersioned('short')[1], 100);
var_dump(VolatileCache::keyInfo('short')->ttl <= 100, VolatileCache::keyInfo('short')->ttl > 50);
$pool = VolatileCache::pool('p');
var_dump($pool->getVersioned('k'), $pool->compareAndSet('k', 0, 1), $pool->deleteIf('k', 1), $pool->replaceIf('k', 1, 1));
$pool->set('k', 'value');
[$value, $version] = $pool->getVersioned('k');
var_dump($value, $pool->replaceIf('k', 'next', $version), $pool->get('k'), VolatileCache::has('k'));

foreach ([fn() => VolatileCache::replaceIf('n', 1, 0), fn() => VolatileCache::deleteIf('n', 0), fn() => $pool->deleteIf('n', -1),
    fn() => VolatileCache::replaceIf('k', fn() => 1, 5), fn() => VolatileCache::replaceIf('k', 1, 5, -1), fn() => VolatileCache::getVersioned('')] as $call) {
    try {
        $call();
    } catch (Throwable $e) {
        echo $e::class, ': ', $e->getMessage(), "\n";
    }
}
--EXPECT--
NULL
bool(true)
bool(true)
bool(true)
bool(false)
array(1) {
  [0]=>
  string(1) "b"
}
bool(true)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
array(2) {
  [0]=>
  int(5)
  [1]=>
  int(0)
}
bool(false)
bool(true)
int(-9)
bool(false)
bool(false)
bool(false)
NULL
bool(true)
bool(true)
bool(true)
bool(false)
array(1) {
  [0]=>
  string(1) "b"
}
bool(true)
bool(false)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
array(2) {
  [0]=>
  int(5)
  [1]=>
  int(0)
}
bool(false)
bool(true)
int(-9)
bool(false)
bool(false)
bool(false)
bool(true)
bool(true)
NULL
bool(false)
bool(false)
bool(false)
string(5) "value"
bool(true)
string(4) "next"
bool(false)
ValueError: Larder\VolatileCache::replaceIf(): Argument #3 ($version) must be greater than 0, as getVersioned() returned it; an int has no version, see compareAndSet()
ValueError: Larder\VolatileCache::deleteIf(): Argument #2 ($version) must be greater than 0, as getVersioned() returned it; an int has no version, see compareAndSet()
ValueError: Larder\Pool::deleteIf(): Argument #2 ($version) must be greater than 0, as getVersioned() returned it; an int has no version, see compareAndSet()
TypeError: Larder\VolatileCache::replaceIf(): Argument #2 ($value) must not contain an instance of Closure, found at $value
ValueError: Larder\VolatileCache::replaceIf(): Argument #4 ($ttl) must be greater than or equal to 0
ValueError: Larder\VolatileCache::getVersioned(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given