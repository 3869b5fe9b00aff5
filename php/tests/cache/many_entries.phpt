--TEST--
larder: cache: 100,000 entries, each with its own value
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

for ($i = 0; $i < 100000; $i++) VolatileCache::set("key$i", $i % 3 ? $i : "v$i");
$wrong = $found = 0;
for ($i = 0; $i < 100000; $i++) {
    $v = VolatileCache::get("key$i");
    if ($v !== null) { $found++; $wrong += $v !== ($i % 3 ? $i : "v$i"); }
}
var_dump($wrong, $found > 90000);
--EXPECT--
int(0)
bool(true)
