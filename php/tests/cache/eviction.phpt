--TEST--
larder: cache: a full volatile cache evicts, a full pinned one refuses
--EXTENSIONS--
larder
--INI--
larder.form=ready
larder.volatile_size=2M
larder.pinned_size=2M
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

$stored = 0;
for ($i = 0; $i < 5000; $i++) $stored += VolatileCache::set("k$i", str_repeat(chr(65 + $i % 26), 2000));
var_dump($stored);
$wrong = $found = 0;
for ($i = 0; $i < 5000; $i++) {
    $v = VolatileCache::get("k$i");
    if ($v !== null) { $found++; $wrong += $v !== str_repeat(chr(65 + $i % 26), 2000); }
}
var_dump($wrong, $found > 200 && $found < 2500);
$stored = 0;
for ($i = 0; $i < 5000; $i++) $stored += PinnedCache::set("k$i", str_repeat(chr(65 + $i % 26), 2000));
var_dump($stored > 200 && $stored < 1100);
$right = 0;
for ($i = 0; $i < 5000; $i++) $right += PinnedCache::get("k$i") === str_repeat(chr(65 + $i % 26), 2000);
var_dump($right === $stored, PinnedCache::info()->refusals > 0, VolatileCache::info()->evictions > 0);
--EXPECT--
int(5000)
int(0)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
