--TEST--
larder: compat opcache: errors name the class that was called
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

foreach ([
    fn() => VolatileCache::get(''), fn() => VolatileCache::set('k', 1, -1), fn() => VolatileCache::set('k', fn() => 1),
    fn() => VolatileCache::setMultiple(['k' => fn() => 1]), fn() => VolatileCache::getMultiple([1.5]), fn() => VolatileCache::lock('k', -1),
    fn() => OPcache\PinnedCache::set('k', STDIN), fn() => OPcache\PinnedCache::set('k', 1, 1), fn() => VolatileCache::touch('k', 1),
] as $call)
    try { var_dump($call()); } catch (Throwable $e) { echo $e::class, ': ', $e->getMessage(), "\n"; }
--EXPECT--
ValueError: OPcache\VolatileCache::get(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
ValueError: OPcache\VolatileCache::set(): Argument #3 ($ttl) must be greater than or equal to 0
TypeError: OPcache\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value
TypeError: OPcache\VolatileCache::setMultiple(): Argument #1 ($values) must not contain an instance of Closure, found at $values['k']
TypeError: OPcache\VolatileCache::getMultiple(): Argument #1 ($keys) must be an array of keys of type string or int, float given
ValueError: OPcache\VolatileCache::lock(): Argument #2 ($lease) must be greater than or equal to 0
TypeError: OPcache\PinnedCache::set(): Argument #2 ($value) must not contain a resource, found at $value
ArgumentCountError: OPcache\PinnedCache::set() expects exactly 2 arguments, 3 given
Error: Call to undefined method OPcache\VolatileCache::touch()
