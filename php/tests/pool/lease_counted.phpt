--TEST--
larder: pool: processes that count a leased key lose no count, while others lease it
--EXTENSIONS--
larder
pcntl
--FILE--
<?php
use Larder\VolatileCache;

const PROCESSES = 4, COUNTS = 20000;
$pool = VolatileCache::pool('leased');
$pool->begin(600);
VolatileCache::set('go', 0);
for ($i = 0; $i < PROCESSES; $i++) {
    if (pcntl_fork() !== 0) continue;
    while (VolatileCache::get('go') === 0);
    for ($n = 0; $n < COUNTS; $n++) {
        if ($n % 2 === $i % 2) $pool->lease("key $n");
        $pool->increment("key $n") === false && exit(1);
    }
    exit(0);
}
VolatileCache::set('go', 1);
while (pcntl_wait($status) > 0) if ($status !== 0) echo "a count failed\n";
$sums = [];
for ($n = 0; $n < COUNTS; $n++) $sums[$pool->get("key $n")] = true;
var_dump(array_keys($sums));
--EXPECT--
array(1) {
  [0]=>
  int(4)
}
