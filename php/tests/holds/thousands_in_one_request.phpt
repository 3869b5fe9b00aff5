--TEST--
larder: holds: a request that gets thousands of different arrays and strings copies none of them
--INI--
larder.volatile_size=256M
--FILE--
<?php
use Larder\VolatileCache as Cache;

const VALUES = 6000;
for ($i = 0; $i < VALUES; $i++) {
    Cache::set("key $i", $i % 2 ? [$i, "text of $i"] : str_repeat("$i ", 30));
}
Cache::get('key 0');
$before = Cache::info()->copies;
$kept = [];
for ($again = 0; $again < 3; $again++) { /* the later rounds fetch values that this request already holds */
    for ($i = 0; $i < VALUES; $i++) {
        $kept[$again][$i] = Cache::get("key $i");
    }
}
var_dump(Cache::info()->copies - $before);
Cache::clear();
for ($i = 0; $i < 2 * VALUES; $i++) {
    Cache::set("key $i", [-1, 'something else']);
}
foreach ($kept as $values) {
    foreach ($values as $i => $value) {
        $value === ($i % 2 ? [$i, "text of $i"] : str_repeat("$i ", 30)) || exit("key $i is wrong\n");
    }
}
echo "all as they were\n";
?>
--EXPECT--
int(0)
all as they were
