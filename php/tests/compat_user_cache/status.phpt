--TEST--
larder: compat user_cache: the state of the store and of a pool
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
larder.volatile_size=16M
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
use UserCache\Cache;

$c = Cache::getPool('status');
$other = Cache::getPool('other');
$before = Cache::getStatus();
var_dump($before->getAvailability(), $before->getConfiguredMemory() === 1 << 24, $before->getSharedMemorySize() > 0);
var_dump($c->getPoolStatus()->getPoolName(), $c->getPoolStatus()->getEntryCount(), $c->getPoolStatus()->getEntryKeys());
$c->storeMultiple(['a' => str_repeat('x', 5000), 7 => 1, "b\0c" => [1]]);
$other->store('a', 1);
$c->fetch('a'); $c->fetch('a'); $c->fetch('none');
$pool = $c->getPoolStatus();
$keys = $pool->getEntryKeys();
sort($keys, SORT_STRING);
echo json_encode($keys), "\n";
var_dump($pool->getEntryCount(), $pool->getUsedMemory() > 5000 && $pool->getUsedMemory() < 6000, $pool->getHitCount(), $pool->getMissCount());
$after = Cache::getStatus();
var_dump($after->getEntryCount() - $before->getEntryCount() >= 4, $after->getEntryCapacity() > 0, $after->getUsedMemory() > 5000);
var_dump($after->getFreeMemory() > 0 && $after->getFreeMemory() + $after->getUsedMemory() + $after->getWastedMemory() === 1 << 24);
var_dump($after->getHitCount() >= 2, $after->getMissCount() >= 1, $after->getGraphPinSlotsInUse());
foreach (['TombstoneCount', 'ExpungeCount', 'EvictionCount', 'StoreFailureCount', 'GraphPinnedReferences', 'DeadPinOwnersReclaimed', 'DeadPinsStripped', 'InternedKeyCount'] as $none)
    if ($after->{"get$none"}() !== 0) echo "$none\n";
$c->clear();
var_dump($c->getPoolStatus()->getEntryCount(), $c->getPoolStatus()->getUsedMemory(), $other->getPoolStatus()->getEntryKeys());
--EXPECT--
enum(UserCache\CacheAvailability::Available)
bool(true)
bool(true)
string(6) "status"
int(0)
array(0) {
}
["7","a","b\u0000c"]
int(3)
bool(true)
int(2)
int(1)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(1)
int(0)
int(0)
array(1) {
  [0]=>
  string(1) "a"
}
