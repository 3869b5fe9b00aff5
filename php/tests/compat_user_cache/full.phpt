--TEST--
larder: compat_user_cache: a pool of a full store evicts what is cold and keeps taking values
--EXTENSIONS--
larder
--INI--
larder.form=ready
larder.compat=user_cache
larder.volatile_size=1M
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

$c = UserCache\Cache::getPool('full');
for ($i = 0; $i < 3000; $i++) if (!$c->store("k$i", str_repeat((string) $i, 400))) echo "refused $i\n";
$status = UserCache\Cache::getStatus();
$left = $c->getPoolStatus()->getEntryCount();
show($status->getEvictionCount() > 1000, $left > 50 && $left < 2000, $c->fetch('k2999') === str_repeat('2999', 400), $status->getStoreFailureCount());
foreach ($c->getPoolStatus()->getEntryKeys() as $key) if ($c->fetch($key) !== str_repeat(substr($key, 1), 400)) echo "$key is wrong\n";
show(@$c->store('huge', str_repeat('x', 700000)), $c->has('huge'), $c->store('after', 1), $c->remember('r', fn() => str_repeat('r', 1000)) === str_repeat('r', 1000));
--EXPECT--
true true true 0 
false false true true 
