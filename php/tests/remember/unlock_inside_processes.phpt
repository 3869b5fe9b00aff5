--TEST--
larder: remember: processes that wait for a value do not compute it when its $compute() calls unlock()
--EXTENSIONS--
larder
pcntl
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

$pool = VolatileCache::pool('of one');
$caches = [
    'volatile' => [VolatileCache::remember(...), VolatileCache::unlock(...)],
    'pinned' => [PinnedCache::remember(...), PinnedCache::unlock(...)],
    'pool' => [$pool->remember(...), $pool->unlock(...)],
];
$pool->set('there is one', 1);
foreach ($caches as $name => [$remember, $unlock]) {
    foreach (["calls $name", "ready $name", "unlocked $name"] as $count) VolatileCache::set($count, 0);
    for ($i = 0; $i < 4; $i++) {
        if (pcntl_fork() !== 0) continue;
        VolatileCache::increment("ready $name");
        while (VolatileCache::get("ready $name") < 4) usleep(100);
        $remember('k', function () use ($name, $unlock) {
            VolatileCache::increment("calls $name");
            if ($unlock('k')) VolatileCache::increment("unlocked $name");
            usleep(300000);
            return 'computed';
        });
        exit(0);
    }
    while (pcntl_wait($status) > 0);
    echo "$name: ", VolatileCache::get("calls $name"), ' computed, ', VolatileCache::get("unlocked $name"), " unlocked\n";
}
--EXPECT--
volatile: 1 computed, 0 unlocked
pinned: 1 computed, 0 unlocked
pool: 1 computed, 0 unlocked
