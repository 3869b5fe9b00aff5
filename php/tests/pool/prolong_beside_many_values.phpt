--TEST--
larder: pool: prolong() works in a request that holds all values that it may hold
--EXTENSIONS--
larder
--INI--
larder.volatile_size=16M
memory_limit=512M
--FILE--
<?php
use Larder\VolatileCache;

$pool = VolatileCache::pool('leased');
$token = $pool->begin(600);
var_dump($pool->prolong($token, 600));
$kept = [];
foreach ([100000, 10000, 1000, 300, 120] as $size) {
    for ($i = 0; $i < 80; $i++) {
        VolatileCache::set("$size $i", str_repeat(chr(65 + $i % 26), $size));
        $kept[] = VolatileCache::get("$size $i");
    }
}
if (extension_loaded('larder') && VolatileCache::info()->copies === 0) echo "not at the bound\n";
var_dump($pool->prolong($token, 600), $pool->set('key', 'value'), $pool->get('key'));
var_dump($pool->prolong($token, 0.05));
usleep(100000);
var_dump($pool->get('key'), $pool->lease('key'), $pool->prolong($token, 600));
$newer = $pool->begin(600);
var_dump($pool->prolong($token, 600), $pool->prolong($newer, 600), count($kept));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
string(5) "value"
bool(true)
NULL
NULL
bool(false)
bool(false)
bool(true)
int(400)
