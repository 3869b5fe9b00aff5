--TEST--
larder: pool: lease() and fill(): a value goes in only if nothing broke the lease; begin() and prolong(): a pool that ends by itself
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$pool = VolatileCache::pool('leased');
var_dump($pool->lease('k'));                       // the pool does not exist yet
$token = $pool->begin(60);
var_dump(strlen($token));

$lease = $pool->lease('k');
var_dump(strlen($lease), $pool->lease('k'));       // a key has one lease at a time
var_dump($pool->get('k', 'miss'), $pool->has('k'), $pool->add('k', 1), $pool->touch('k', 60), $pool->info()->entry_count);
var_dump($pool->fill('k', ['a' => range(1, 100)], $lease), $pool->get('k')['a'][99], $pool->has('k'));
var_dump($pool->lease('k'));                       // the key has a value
var_dump($pool->fill('k', 'again', $lease));       // the lease was used already

echo "broken by\n";
$breaks = [
    'delete' => fn() => $pool->delete('k') && !$pool->delete('k') || exit('delete'),
    'invalidate' => fn() => $pool->invalidate('k') && $pool->invalidate('k') || exit('invalidate'),
    'deleteMultiple' => fn() => $pool->deleteMultiple(['k']) || exit('deleteMultiple'),
    'set' => fn() => $pool->set('k', 'newer'),
    'increment' => fn() => $pool->increment('k', 3) === 3 && $pool->increment('k') === 4 || exit('increment'),
    'decrement' => fn() => $pool->decrement('k', 3, 60) === -3 && $pool->keyInfo('k')->ttl > 50 || exit('decrement'),
    'clear' => fn() => $pool->clear(),
    'begin' => fn() => $pool->begin(60),
    'VolatileCache::clear' => fn() => VolatileCache::clear() && $pool->begin(60),
    'its end' => fn() => usleep(120000),
    'another lease' => fn() => $pool->delete('k') && $pool->lease('k'),
];
foreach ($breaks as $name => $break) {
    $pool->delete('k');
    $lease = $pool->lease('k', $name === 'its end' ? 0.1 : 60);
    is_string($lease) || exit("no lease for $name\n");
    $break();
    printf("%s: %s, %s\n", $name, var_export($pool->fill('k', 'old', $lease), true), var_export($pool->get('k'), true));
}
echo "touched\n";
foreach ([0, 60] as $ttl) {
    $pool->begin(60);
    $pool->lease('brief', 0.05);
    $lease = $pool->lease('k');
    var_dump($pool->touch('brief', $ttl), $pool->touch('k', 0.001));
    usleep(80000);
    var_dump(is_string($pool->lease('brief')), $pool->fill('k', 'in time', $lease)); // each lease has its own time limit
}
$pool->begin(60);
foreach ([1, 1.5, null, true, 'short', str_repeat('long', 1000), [], [1, [2]], new ArrayObject([1]), new DateTimeImmutable('2020-01-01')] as $i => $value) {
    $lease = $pool->lease("value $i");
    $pool->fill("value $i", $value, $lease) && $pool->get("value $i") == $value || exit("value $i\n");
}
class Hook
{
    public function __serialize(): array
    {
        global $pool;
        $other = $pool->lease('inner');
        $pool->fill('inner', 'inside', $other);
        return [];
    }
    public function __unserialize(array $data): void {}
}
$lease = $pool->lease('outer');
var_dump($pool->fill('outer', new Hook, $lease), get_debug_type($pool->get('outer')), $pool->get('inner'));
class Breaks
{
    public function __serialize(): array
    {
        global $pool;
        $pool->delete('self');
        return [];
    }
    public function __unserialize(array $data): void {}
}
$lease = $pool->lease('self');
var_dump($pool->fill('self', new Breaks, $lease), $pool->get('self', 'miss'));
for ($ttl = 0.05; $ttl < 100; $ttl *= 2) { // the time to live counts from lease(), so fill() fails if this process is too slow
    $pool->delete('ttl');
    $lease = $pool->lease('ttl');
    if ($filled = $pool->fill('ttl', 'brief', $lease, $ttl)) break;
}
var_dump($filled);
usleep((int) ($ttl * 1.6e6));
var_dump($pool->get('ttl'));

echo "prolonged\n";
do { // try again until this process was quick enough
    $token = $pool->begin(0.3);
    $lease = $pool->lease('k');
} while ($lease === null || !$pool->fill('k', 'kept', $lease) || !$pool->prolong($token, 60));
usleep(400000);
var_dump($pool->get('k'));
$newer = $pool->begin(60);
var_dump($pool->get('k'), $pool->prolong($token, 60));
$pool->fill('k', 'kept', $pool->lease('k'));
var_dump($pool->prolong($newer, 0.05));
usleep(100000);
var_dump($pool->get('k'), $pool->has('k'), $pool->lease('k'), $pool->prolong($newer, 60));

$pool->begin(0.05);
$pool->clear(); // clear() does not remove the time limit
usleep(100000);
var_dump($pool->lease('k'));

foreach ([fn() => $pool->lease(''), fn() => $pool->lease('k', 0), fn() => $pool->fill('k', 1, 'x'), fn() => $pool->begin(-1), fn() => $pool->prolong('x', 1), fn() => $pool->fill('k', fn() => 1, str_repeat('x', 24))] as $bad) {
    try {
        $bad();
    } catch (\TypeError|\ValueError $error) {
        echo $error::class, ': ', $error->getMessage(), "\n";
    }
}
?>
--EXPECT--
NULL
int(8)
int(24)
NULL
string(4) "miss"
bool(false)
bool(false)
bool(false)
int(0)
bool(true)
int(100)
bool(true)
NULL
bool(false)
broken by
delete: false, NULL
invalidate: false, NULL
deleteMultiple: false, NULL
set: false, 'newer'
increment: false, 4
decrement: false, -3
clear: false, NULL
begin: false, NULL
VolatileCache::clear: false, NULL
its end: false, NULL
another lease: false, NULL
touched
bool(false)
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
bool(true)
bool(true)
bool(true)
string(4) "Hook"
string(6) "inside"
bool(false)
string(4) "miss"
bool(true)
NULL
prolonged
string(4) "kept"
NULL
bool(false)
bool(true)
NULL
bool(false)
NULL
bool(false)
NULL
ValueError: Larder\Pool::lease(): Argument #1 ($key) must be between 1 and 65515 bytes long, 0 given
ValueError: Larder\Pool::lease(): Argument #2 ($seconds) must be greater than 0
ValueError: Larder\Pool::fill(): Argument #3 ($lease) must be what lease() returned
ValueError: Larder\Pool::begin(): Argument #1 ($seconds) must be greater than or equal to 0
ValueError: Larder\Pool::prolong(): Argument #1 ($token) must be what begin() returned
TypeError: Larder\Pool::fill(): Argument #2 ($value) must not contain an instance of Closure, found at $value
