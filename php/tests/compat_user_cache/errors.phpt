--TEST--
larder: compat user_cache: keys, names, times and values that make no sense
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

$c = Cache::getPool('errors');
foreach ([
    fn() => $c->store('', 1), fn() => $c->fetch("bad\x1fkey"), fn() => $c->has(''), fn() => $c->lock("bad\x1fkey"), fn() => $c->delete(''),
    fn() => $c->fetchMultiple(['ok', '']), fn() => $c->fetchMultiple(['ok', 1.5]), fn() => $c->deleteMultiple(['ok', new stdClass]), fn() => $c->fetchMultiple(["\x1f"]),
    fn() => $c->storeMultiple(['' => 1]), fn() => $c->storeMultiple(['ok' => 1, "bad\x1fkey" => 1]),
    fn() => Cache::getPool(''), fn() => Cache::getPool("bad\x1fpool"), fn() => Cache::deletePool(''), fn() => Cache::hasPool("\x1f"), fn() => Cache::getPool(str_repeat('n', 256)),
    fn() => $c->store('k', 1, -1), fn() => $c->add('k', 1, -1), fn() => $c->storeMultiple(['k' => 1], -1), fn() => $c->remember('k', fn() => 1, -1), fn() => $c->lock('k', -1),
    fn() => $c->store('k', STDIN), fn() => $c->store('k', fn() => 1), fn() => $c->storeMultiple(['k' => 1, 'l' => STDIN]), fn() => $c->remember('k', 'no such function'),
    fn() => clone $c, fn() => serialize($c), fn() => serialize(Cache::getStatus()), fn() => serialize($c->getPoolStatus()), fn() => $c->store('k', $c), fn() => Cache::getStatus()->x = 1,
] as $call)
    try { var_dump($call()); } catch (Throwable $e) { echo $e::class, ': ', $e->getMessage(), "\n"; }
var_dump($c->has('k'), $c->has('ok'));
--EXPECT--
ValueError: UserCache\Cache::store(): Argument #1 ($key) must be between 1 and 65515 bytes long, 0 given
ValueError: UserCache\Cache::fetch(): Argument #1 ($key) must not contain the byte 0x1F
ValueError: UserCache\Cache::has(): Argument #1 ($key) must be between 1 and 65515 bytes long, 0 given
ValueError: UserCache\Cache::lock(): Argument #1 ($key) must not contain the byte 0x1F
ValueError: UserCache\Cache::delete(): Argument #1 ($key) must be between 1 and 65515 bytes long, 0 given
ValueError: UserCache\Cache::fetchMultiple(): Argument #1 ($keys) must not contain an empty key
ValueError: UserCache\Cache::fetchMultiple(): Argument #1 ($keys) must contain only keys of type string or int
ValueError: UserCache\Cache::deleteMultiple(): Argument #1 ($keys) must contain only keys of type string or int
ValueError: UserCache\Cache::fetchMultiple(): Argument #1 ($keys) must not contain keys with the byte 0x1F
ValueError: UserCache\Cache::storeMultiple(): Argument #1 ($values) must not contain an empty key
ValueError: UserCache\Cache::storeMultiple(): Argument #1 ($values) must not contain keys with the byte 0x1F
ValueError: UserCache\Cache::getPool(): Argument #1 ($pool) must be between 1 and 255 bytes long, 0 given
ValueError: UserCache\Cache::getPool(): Argument #1 ($pool) must not contain the byte 0x1F
ValueError: UserCache\Cache::deletePool(): Argument #1 ($pool) must be between 1 and 255 bytes long, 0 given
ValueError: UserCache\Cache::hasPool(): Argument #1 ($pool) must not contain the byte 0x1F
ValueError: UserCache\Cache::getPool(): Argument #1 ($pool) must be between 1 and 255 bytes long, 256 given
ValueError: UserCache\Cache::store(): Argument #3 ($ttl) must be greater than or equal to 0
ValueError: UserCache\Cache::add(): Argument #3 ($ttl) must be greater than or equal to 0
ValueError: UserCache\Cache::storeMultiple(): Argument #2 ($ttl) must be greater than or equal to 0
ValueError: UserCache\Cache::remember(): Argument #3 ($ttl) must be greater than or equal to 0
ValueError: UserCache\Cache::lock(): Argument #2 ($lease) must be greater than or equal to 0
TypeError: UserCache\Cache::store(): Argument #2 ($value) must not contain a resource, found at $value
TypeError: UserCache\Cache::store(): Argument #2 ($value) must not contain an instance of Closure, found at $value
TypeError: UserCache\Cache::storeMultiple(): Argument #1 ($values) must not contain a resource, found at $values['l']
TypeError: UserCache\Cache::remember(): Argument #2 ($callback) must be a valid callback, function "no such function" not found or invalid function name
Error: Trying to clone an uncloneable object of class UserCache\Cache
Exception: Serialization of 'UserCache\Cache' is not allowed
Exception: Serialization of 'UserCache\CacheStatus' is not allowed
Exception: Serialization of 'UserCache\CachePoolStatus' is not allowed
TypeError: UserCache\Cache::store(): Argument #2 ($value) must not contain an instance of UserCache\Cache, found at $value
Error: Cannot create dynamic property UserCache\CacheStatus::$x
bool(false)
bool(false)
