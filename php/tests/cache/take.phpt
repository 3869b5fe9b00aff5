--TEST--
larder: take: gives the value and deletes the entry
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

class Token
{
    public function __construct(public string $text) {}
}
class Refuses
{
    public int $n = 1;
    public function __unserialize(array $data): void { throw new LogicException('not restored'); }
}
foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    foreach ([null, false, 12, 1.5, '', 'short', str_repeat('long', 100), str_repeat('longer', 1000), true, "\0", PHP_INT_MIN, [], ['a' => [1, 2, ['b' => 'c']]]] as $value) {
        $cache::set('k', $value);
        $taken = $cache::take('k', 'default');
        if ($taken !== $value || $cache::has('k')) echo "wrong: ", var_export($value, true), "\n";
    }
    $cache::set('token', new Token('one time'));
    var_dump($cache::take('token')->text, $cache::take('token'), $cache::take('token', 'none'));
    $cache::set('bad', new Refuses());
    try {
        $cache::take('bad');
    } catch (LogicException $e) {
        echo $e->getMessage(), ', ', $cache::getCacheStoreType('bad')->name, "\n"; // take() threw, so
                                                                                   // the entry stays
    }
}
$pool = VolatileCache::pool('tokens');
var_dump($pool->take('t'));
$pool->set('t', [1]);
VolatileCache::set('t', [2]);
var_dump($pool->take('t') === [1], $pool->take('t'), VolatileCache::take('t') === [2]);
$lease = $pool->lease('leased');
var_dump($pool->take('leased', 'miss'), $pool->fill('leased', 'value', $lease), $pool->take('leased'));
try {
    VolatileCache::take('');
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
--EXPECT--
string(8) "one time"
NULL
string(4) "none"
not restored, SharedGraph
string(8) "one time"
NULL
string(4) "none"
not restored, SharedGraph
NULL
bool(true)
NULL
bool(true)
string(4) "miss"
bool(true)
string(5) "value"
Larder\VolatileCache::take(): Argument #1 ($key) must be between 1 and 65535 bytes long, 0 given
