--TEST--
larder: throttle: a limit gives its units at once, then one after the other, and says when
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    for ($n = 0; $n < 3; $n++) {
        $t = $cache::throttle('login', 3, 86400);
        echo $t->allowed ? 'yes' : 'no', " $t->remaining ", $t->retryAfter, ' ', ceil($t->resetAfter / 28800), "\n";
    }
    $t = $cache::throttle('login', 3, 86400);
    var_dump($t->allowed, $t->remaining, $t->retryAfter > 28000 && $t->retryAfter <= 28800, $t->resetAfter > 86000 && $t->resetAfter <= 86400);
    var_dump($cache::delete('login'), $cache::throttle('login', 3, 86400, 3)->allowed, $cache::throttle('login', 3, 86400)->allowed);
}
// reading the limit takes no unit, and creates no entry
$t = VolatileCache::throttle('look', 5, 60, 0);
var_dump($t->allowed, $t->remaining, $t->retryAfter, $t->resetAfter, VolatileCache::has('look'));
// take units in advance
$t = VolatileCache::throttle('advance', 1, 3600, wait: 3600);
$t = VolatileCache::throttle('advance', 1, 3600, wait: 3600);
var_dump($t->allowed, $t->retryAfter > 3500 && $t->retryAfter <= 3600, VolatileCache::throttle('advance', 1, 3600, wait: 3600)->allowed);
// a pool has keys of its own
$pool = VolatileCache::pool('api');
var_dump($pool->throttle('k', 1, 3600)->allowed, $pool->throttle('k', 1, 3600)->allowed, VolatileCache::throttle('k', 1, 3600)->allowed);
while (VolatileCache::throttle('short', 2, 0.02)->allowed) continue;
usleep(100000);
var_dump(VolatileCache::throttle('short', 2, 0.02)->allowed);
// a later call must not change the result of an earlier call, even if that result has a WeakReference or was printed
$answers = [];
for ($i = 0; $i < 5; $i++) {
    $answer = VolatileCache::throttle('kept', 5, 3600);
    $i === 1 && $weak = WeakReference::create($answer);
    $i === 2 && print_r($answer, true);
    $answers[] = $answer;
    VolatileCache::throttle('dropped', 1000, 3600);
}
echo implode(' ', array_column($answers, 'remaining')), ', ', count(array_unique(array_map('spl_object_id', $answers))), " objects\n";
var_dump($weak->get() === $answers[1]);
$copy = clone $answers[4];
$answers = $answer = null;
VolatileCache::throttle('other', 9, 3600);
var_dump($copy->remaining, VolatileCache::throttle('other', 9, 3600)->remaining);

VolatileCache::set('text', 'no limit');
foreach ([['', 1, 1], ['k', 0, 1], ['k', 11, 1e-8], ['k', 1, 0], ['k', 1, NAN], ['k', 1, 1e10], ['k', 5, 1, 6], ['k', 5, 1, -1], ['k', 1, 1, 1, -1], ['text', 1, 1]] as $arguments) {
    try {
        VolatileCache::throttle(...$arguments);
        echo "none\n";
    } catch (Throwable $e) {
        echo $e::class, ': ', $e->getMessage(), "\n";
    }
}
--EXPECT--
yes 2 0 1
yes 1 0 2
yes 0 0 3
bool(false)
int(0)
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
yes 2 0 1
yes 1 0 2
yes 0 0 3
bool(false)
int(0)
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
int(5)
float(0)
float(0)
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(true)
4 3 2 1 0, 5 objects
bool(true)
int(0)
int(7)
ValueError: Larder\VolatileCache::throttle(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
ValueError: Larder\VolatileCache::throttle(): Argument #2 ($limit) must be between 1 and 1000000000, one for each nanosecond of $per
ValueError: Larder\VolatileCache::throttle(): Argument #2 ($limit) must be between 1 and 10, one for each nanosecond of $per
ValueError: Larder\VolatileCache::throttle(): Argument #3 ($per) must be a number of seconds that is greater than 0 and at most 1000000000
ValueError: Larder\VolatileCache::throttle(): Argument #3 ($per) must be a number of seconds that is greater than 0 and at most 1000000000
ValueError: Larder\VolatileCache::throttle(): Argument #3 ($per) must be a number of seconds that is greater than 0 and at most 1000000000
ValueError: Larder\VolatileCache::throttle(): Argument #4 ($cost) must be between 0 and 5, the limit
ValueError: Larder\VolatileCache::throttle(): Argument #4 ($cost) must be between 0 and 5, the limit
ValueError: Larder\VolatileCache::throttle(): Argument #5 ($wait) must be a number of seconds that is at least 0 and at most 1000000000
Larder\StaticCacheException: The entry "text" is no rate limit with this $sliding and $per; use another key, or delete it
