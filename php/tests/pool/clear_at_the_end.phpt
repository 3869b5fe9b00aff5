--TEST--
larder: pool: clear() just when a pool ends by itself does not let it last
--EXTENSIONS--
larder
--FILE--
<?php
$pool = Larder\VolatileCache::pool('ends');
for ($i = 0; $i < 40; $i++) {
    $pool->begin(0.002);
    for ($until = hrtime(true) + 20e6; hrtime(true) < $until;) $pool->clear() || exit('not cleared');
    usleep(20000); /* wait longer than a tick of the clock, so that the pool has ended */
    if ($pool->lease("key $i") !== null) exit("it lasts, after $i times\n");
}
echo "done\n";
--EXPECT--
done
