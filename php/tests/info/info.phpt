--TEST--
larder: info: info tells size, use and counts
--EXTENSIONS--
larder
--INI--
larder.volatile_size=8M
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

$i = VolatileCache::info();
var_dump($i->enabled, $i->available, $i->startup_failed, $i->configured_memory, $i->entry_count, $i->shared_model, $i->failure_reason);
for ($n = 0; $n < 10; $n++) VolatileCache::set("k$n", str_repeat('x', 1000));
VolatileCache::get('k1'); VolatileCache::get('none');
$i = VolatileCache::info();
var_dump($i->entry_count, $i->used_memory > 10000, $i->shared_memory >= $i->used_memory, $i->hits, $i->misses, $i->value_limit, $i->entry_limit > 1000, PinnedCache::info()->entry_count);
try { $i->hits = 5; } catch (Error $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
bool(true)
bool(true)
bool(false)
int(8388608)
int(0)
string(9) "anonymous"
NULL
int(10)
bool(true)
bool(true)
int(1)
int(1)
int(4194304)
bool(true)
int(0)
Cannot modify readonly property Larder\StaticCacheInfo::$hits
