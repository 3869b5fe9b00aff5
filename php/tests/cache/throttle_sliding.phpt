--TEST--
larder: throttle: a sliding window gives no unit back before its time is over
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    foreach ([1, 1, 3, 1, 0] as $cost) {
        $t = $cache::throttle('login', 5, 86400, $cost, sliding: true);
        echo $t->allowed ? 'yes' : 'no', " $t->remaining ", $t->retryAfter > 80000 && $t->retryAfter < 90000 ? 'a day' : $t->retryAfter, ' ', round($t->resetAfter / 86400), "\n";
    }
    var_dump($cache::get('login'), $cache::take('login'), $cache::delete('login'), $cache::throttle('login', 5, 86400, 5, sliding: true)->allowed);
}
$t = VolatileCache::throttle('look', 5, 60, 0, sliding: true);
var_dump($t->allowed, $t->remaining, $t->retryAfter, $t->resetAfter, VolatileCache::has('look'));
$pool = VolatileCache::pool('api');
var_dump($pool->throttle('k', 1, 3600, sliding: true)->allowed, $pool->throttle('k', 1, 3600, sliding: true)->allowed);
// a unit is free again after a second, not earlier
$times = [];
for ($end = hrtime(true) + 60e9; count($times) < 6 && hrtime(true) < $end;) {
    $before = hrtime(true);
    VolatileCache::throttle('short', 2, 1, sliding: true)->allowed ? $times[] = [$before, hrtime(true)] : usleep(10000);
}
for ($n = 2; $n < count($times); $n++) {
    if ($times[$n][1] - $times[$n - 2][0] < 0.99e9) echo 'too early: ', $times[$n][1] - $times[$n - 2][0], "\n";
}
echo count($times), "\n";
// a rate limit is an entry of its key, so add() stores nothing
foreach ([VolatileCache::class, $pool] as $cache) {
    $call = fn (string $name, mixed ...$arguments) => is_string($cache) ? $cache::$name('taken', ...$arguments) : $cache->$name('taken', ...$arguments);
    var_dump($call('throttle', 1, 60, sliding: true)->allowed, $call('has'), $call('add', 1), $call('increment'), $call('throttle', 1, 60, sliding: true)->allowed);
    try {
        $call('throttle', 1, 3600, sliding: true);
    } catch (Throwable $e) {
        echo $e::class, ': ', $e->getMessage(), "\n";
    }
}
VolatileCache::throttle('gcra', 5, 60);
foreach ([['k', 5, 0.5], ['k', 16384, 1], ['k', 5, 1, 1, 1], ['gcra', 5, 60]] as $arguments) {
    try {
        VolatileCache::throttle(...$arguments, sliding: true);
        echo "none\n";
    } catch (Throwable $e) {
        echo $e::class, ': ', $e->getMessage(), "\n";
    }
}
?>
--EXPECT--
yes 4 0 1
yes 3 0 1
yes 0 0 1
no 0 a day 1
yes 0 0 1
NULL
NULL
bool(true)
bool(true)
yes 4 0 1
yes 3 0 1
yes 0 0 1
no 0 a day 1
yes 0 0 1
NULL
NULL
bool(true)
bool(true)
bool(true)
int(5)
float(0)
float(0)
bool(false)
bool(true)
bool(false)
6
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
Larder\StaticCacheException: The entry "taken" is no rate limit with this $sliding and $per; use another key, or delete it
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
Larder\StaticCacheException: The entry "taken" is no rate limit with this $sliding and $per; use another key, or delete it
ValueError: Larder\VolatileCache::throttle(): Argument #3 ($per) must be at least 1 with $sliding
ValueError: Larder\VolatileCache::throttle(): Argument #2 ($limit) must be between 1 and 16383 with $sliding
ValueError: Larder\VolatileCache::throttle(): Argument #5 ($wait) must be 0 with $sliding
Larder\StaticCacheException: The entry "gcra" is no rate limit with this $sliding and $per; use another key, or delete it
