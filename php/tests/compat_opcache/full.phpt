--TEST--
larder: compat_opcache: a full pinned cache refuses and keeps, a full volatile one evicts
--EXTENSIONS--
larder
--INI--
larder.form=ready
larder.compat=opcache
larder.volatile_size=1M
larder.pinned_size=1M
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

use OPcache\PinnedCache;
use OPcache\VolatileCache;

for ($i = 0; PinnedCache::set("k$i", str_repeat((string) $i, 3000)); $i++);
show($i > 20, PinnedCache::has("k$i"), PinnedCache::set('k0', str_repeat('larger', 40000)), PinnedCache::get('k0') === str_repeat('0', 3000), PinnedCache::setMultiple(['a' => str_repeat('a', 100000), 'b' => 1]) || !PinnedCache::has('a'));
for ($j = 0; $j < $i; $j++) if (PinnedCache::get("k$j") !== str_repeat((string) $j, 3000)) echo "k$j was lost\n";
for ($i = 0; $i < 2000; $i++) if (!VolatileCache::set("k$i", str_repeat((string) $i, 1000))) echo "refused\n";
show(VolatileCache::get('k1999') === str_repeat('1999', 1000), VolatileCache::info()->entry_count < 2000, VolatileCache::info()->entry_count > 20);
show(@VolatileCache::set('huge', str_repeat('x', 700000)), error_get_last()['message'] ?? null);
--EXPECT--
true false false true true 
true true true 
false "OPcache\\VolatileCache::set(): The value is larger than half of the store; raise larder.volatile_size" 
