--TEST--
larder: user_cache: in a store of few entries, clear() and deletePool() remove the entries at once
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--FILE--
<?php
use UserCache\Cache;

function entries(): int
{
    return Cache::getStatus()->getEntryCount();
}

$other = Cache::getPool('uu'); // the name of this pool begins with the name of the first pool
$other->store('k', 'stays');
$before = entries();
$cache = Cache::getPool('u');
foreach (['clear' => fn() => $cache->clear(), 'deletePool' => fn() => Cache::deletePool('u')] as $name => $end) {
    for ($i = 0; $i < 20; $i++) $cache->store("key $i", [$i]);
    printf("%s: %d", $name, entries() - $before);
    $end();
    printf(" -> %d\n", entries() - $before); // clear() leaves the record of the pool
}
var_dump($other->fetch('k'));
--EXPECT--
clear: 21 -> 1
deletePool: 21 -> 0
string(5) "stays"
