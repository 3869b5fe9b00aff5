--TEST--
larder: pool: an entry whose class has changed, which is a miss, gives way to a lease
--EXTENSIONS--
larder
pcntl
--FILE--
<?php
use Larder\VolatileCache;

$pool = VolatileCache::pool('leased');
$token = $pool->begin(60);
$pid = pcntl_fork();
if ($pid === 0) { // the child declares other classes
    eval('class Changed { public $a = 1; } class Gone { } enum Suit { case Hearts; }');
    $pool->setMultiple(['changed' => new Changed, 'gone' => [new Gone], 'case' => Suit::Hearts, 'serialized' => [new SplObjectStorage, new Gone]]);
    exit(0);
}
pcntl_waitpid($pid, $status);
eval('class Changed { public $a = 1; public $b = 2; } enum Suit { case Spades; }');
$misses = VolatileCache::info()->misses;
foreach (['changed', 'gone', 'case', 'serialized'] as $key) {
    $lease = $pool->lease($key);
    printf("%s: %s, another %s, ", $key, is_string($lease) ? 'leased' : 'not leased', var_export($pool->lease($key), true));
    printf("filled %s, %s\n", var_export($pool->fill($key, "new $key", (string) $lease), true), var_export($pool->get($key), true));
}
echo 'misses counted: ', VolatileCache::info()->misses - $misses, "\n";

/* lease() examines an entry whose class is missing here, so it calls the autoloader. The autoloader then changes the pool. */
$pid = pcntl_fork();
if ($pid === 0) {
    eval('class Late { public $a = 1; }');
    $pool->setMultiple(['late' => new Late, 'cleared' => [new Late]]);
    exit(0);
}
pcntl_waitpid($pid, $status);
spl_autoload_register($load = function (string $class) use ($pool) { echo "loads $class\n"; $pool->set('late', 'stored meanwhile'); });
var_dump($pool->lease('late'), $pool->get('late'));
spl_autoload_unregister($load);
spl_autoload_register($load = function (string $class) use ($pool) { echo "loads $class\n"; $pool->begin(60); });
$lease = $pool->lease('cleared');
var_dump($lease === null ? null : $pool->fill('cleared', 'old', $lease), $pool->get('cleared'));
spl_autoload_unregister($load);
--EXPECT--
changed: leased, another NULL, filled true, 'new changed'
gone: leased, another NULL, filled true, 'new gone'
case: leased, another NULL, filled true, 'new case'
serialized: leased, another NULL, filled true, 'new serialized'
misses counted: 0
loads Late
NULL
string(16) "stored meanwhile"
loads Late
bool(false)
NULL
