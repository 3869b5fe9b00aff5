--TEST--
larder: errors: bad keys are ValueErrors that name the argument
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$long = str_repeat('k', 65536);
foreach (['get' => [], 'set' => [1], 'add' => [1], 'has' => [], 'delete' => [], 'touch' => [1], 'increment' => [], 'decrement' => [], 'lock' => [], 'unlock' => [], 'remember' => [fn() => 1], 'getCacheStoreType' => [], 'keyInfo' => []] as $m => $more)
    foreach (['', $long] as $key)
        try { VolatileCache::$m($key, ...$more); echo "$m accepted it\n"; } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
$pool = VolatileCache::pool('pool');
foreach (['', $long, "\0lrd"] as $key)
    foreach (['getMultiple' => ['a', $key], 'setMultiple' => ['a' => 1, $key => 1], 'deleteMultiple' => [$key]] as $m => $keys)
        foreach ([fn() => VolatileCache::$m($keys), fn() => $key === "\0lrd" || $pool->$m($keys)] as $call)
            try { $call() === true || print("$m accepted it\n"); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
var_dump(VolatileCache::has('a'));
--EXPECT--
Larder\VolatileCache::get(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::get(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::set(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::set(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::add(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::add(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::has(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::has(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::delete(): Argument #1 ($key_or_class) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::delete(): Argument #1 ($key_or_class) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::touch(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::touch(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::increment(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::increment(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::decrement(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::decrement(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::lock(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::lock(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::unlock(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::unlock(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::remember(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::remember(): Argument #1 ($key) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::getCacheStoreType(): Argument #1 ($key_or_property) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::getCacheStoreType(): Argument #1 ($key_or_property) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::keyInfo(): Argument #1 ($key_or_property) must be between 1 and 65535 bytes long, 0 given
Larder\VolatileCache::keyInfo(): Argument #1 ($key_or_property) must be between 1 and 65535 bytes long, 65536 given
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must not contain an empty key
Larder\Pool::getMultiple(): Argument #1 ($keys) must not contain an empty key
Larder\VolatileCache::setMultiple(): Argument #1 ($values) must not contain an empty key
Larder\Pool::setMultiple(): Argument #1 ($values) must not contain an empty key
Larder\VolatileCache::deleteMultiple(): Argument #1 ($keys) must not contain an empty key
Larder\Pool::deleteMultiple(): Argument #1 ($keys) must not contain an empty key
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must contain keys between 1 and 65535 bytes long, 65536 given
Larder\Pool::getMultiple(): Argument #1 ($keys) must contain keys between 1 and 65517 bytes long, 65536 given
Larder\VolatileCache::setMultiple(): Argument #1 ($values) must contain keys between 1 and 65535 bytes long, 65536 given
Larder\Pool::setMultiple(): Argument #1 ($values) must contain keys between 1 and 65517 bytes long, 65536 given
Larder\VolatileCache::deleteMultiple(): Argument #1 ($keys) must contain keys between 1 and 65535 bytes long, 65536 given
Larder\Pool::deleteMultiple(): Argument #1 ($keys) must contain keys between 1 and 65517 bytes long, 65536 given
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must not contain keys that begin with "\0lrd", which is reserved
Larder\VolatileCache::setMultiple(): Argument #1 ($values) must not contain keys that begin with "\0lrd", which is reserved
Larder\VolatileCache::deleteMultiple(): Argument #1 ($keys) must not contain keys that begin with "\0lrd", which is reserved
bool(false)
