--TEST--
larder: compat user_cache: without a store nothing is kept and nothing fails loudly
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
larder.volatile_size=0
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
use UserCache\Cache;

$c = Cache::getPool('off');
var_dump(Cache::getStatus()->getAvailability(), Cache::getStatus()->getConfiguredMemory(), $c->getPoolStatus()->getEntryKeys(), $c->getPoolStatus()->getUsedMemory());
var_dump($c->store('k', 1), $c->add('k', 1), $c->storeMultiple(['k' => 1]), $c->increment('k'), $c->decrement('k'), $c->has('k'), $c->fetch('k', 'default'));
var_dump(json_encode($c->fetchMultiple(['k', 'other'], 'default')), $c->delete('k'), $c->deleteMultiple(['k', 'other']), $c->clear(), $c->lock('k'), $c->unlock('k'), $c->remember('k', fn() => 42));
var_dump(Cache::hasPool('off'), Cache::deletePool('off'), Cache::hasPool('off'), Cache::getPools(), Cache::getPool('off') !== $c);
--EXPECT--
enum(UserCache\CacheAvailability::DisabledByIni)
int(0)
array(0) {
}
int(0)
bool(false)
bool(false)
bool(false)
NULL
NULL
bool(false)
string(7) "default"
string(33) "{"k":"default","other":"default"}"
bool(true)
bool(true)
bool(true)
bool(false)
bool(false)
int(42)
bool(true)
bool(true)
bool(false)
array(0) {
}
bool(true)
