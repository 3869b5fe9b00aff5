--TEST--
larder: remember: a call that finds a stale value computes none if another call has stored a new one meanwhile
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Slow
{
    public static ?Closure $meanwhile = null;
    public function __construct(public int $number) {}
    public function __serialize(): array { return [$this->number]; }
    /* While the stale value is restored, another call computes a new value. */
    public function __unserialize(array $data): void
    {
        [$this->number] = $data;
        $meanwhile = self::$meanwhile;
        self::$meanwhile = null;
        if ($meanwhile !== null) {
            $meanwhile();
        }
    }
}

$calls = 0;
$compute = function () use (&$calls) { return new Slow(++$calls); };
foreach ([VolatileCache::class, VolatileCache::pool('of values')] as $cache) {
    $call = fn(string $name, mixed ...$arguments) => [$cache, $name](...$arguments);
    $calls = 0;
    $call('set', 'key', new Slow(0), 100);
    Slow::$meanwhile = fn() => $call('remember', 'key', $compute, 1000, 150);
    var_dump($call('remember', 'key', $compute, 1000, 150)->number, $calls);
    var_dump($call('lock', 'key'), $call('unlock', 'key'));
}
?>
--EXPECT--
int(1)
int(1)
bool(true)
bool(true)
int(1)
int(1)
bool(true)
bool(true)
