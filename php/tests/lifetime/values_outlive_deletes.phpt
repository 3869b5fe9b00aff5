--TEST--
larder: lifetime: a held value stays unchanged while other processes delete and overwrite it 100,000 times in a full store, and its memory comes back
afterwards
--EXTENSIONS--
larder
--INI--
larder.form=ready
larder.volatile_size=2M
larder.pinned_size=2M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

/* Fills the store. Returns the bytes of live entries. */
function fill(): int
{
    for ($i = 0; $i < 6000; $i++) VolatileCache::set('fill' . $i % 3000, str_repeat('z', 1000));
    return VolatileCache::info()->used_memory;
}

/* Waits until a key exists. Calls has(), because get() would hold the value. */
function wait_for(string $key): void
{
    for ($i = 0; $i < 120000 && !PinnedCache::has($key); $i++) usleep(1000);
}

$value = ['rows' => array_map(fn($i) => ['id' => $i, 'name' => "name $i"], range(1, 1000)), 's' => str_repeat('held', 300)];
$large = str_repeat('large', 160000);
$before = fill();
PinnedCache::set('large', $large);

if (($reader = pcntl_fork()) === 0) {
    pcntl_alarm(1000);
    $digest = md5(serialize([$value, $value['s'], $large]));
    VolatileCache::set('k', $value);
    $held[] = VolatileCache::get('k');
    VolatileCache::set('s', $value['s']);
    array_push($held, VolatileCache::get('s'), PinnedCache::get('large'));
    PinnedCache::set('reading', true);
    do {
        PinnedCache::increment('checks');
        if (md5(serialize($held)) !== $digest) PinnedCache::increment('wrong');
        usleep(1000);
    } while (!PinnedCache::has('stop'));
    if (md5(serialize($held)) !== $digest || $held[0] !== $value) PinnedCache::increment('wrong');
    exit(0);
}
wait_for('reading');
for ($i = 0; $i < 100000; $i++) {
    VolatileCache::set('k', ['rows' => array_fill(0, 100, ['id' => -$i, 'name' => 'other'])]);
    VolatileCache::set('s', str_repeat('y', 1200));
    if ($i % 3 === 0) { VolatileCache::delete('k'); VolatileCache::delete('s'); }
    if ($i % 4 === 0) VolatileCache::set('fill' . $i % 3000, str_repeat('x', 1000 + $i % 5000));
}
PinnedCache::delete('large');
$during = fill();
echo "while they are held:\n";
var_dump($before - $during > 100000, PinnedCache::set('second', $large), PinnedCache::set('third', $large), VolatileCache::info()->evictions > 10000);
for ($i = 0; $i < 60000 && PinnedCache::get('checks') <= 20; $i++) usleep(1000);
PinnedCache::set('stop', true);
pcntl_waitpid($reader, $status);
$after = fill();
echo "afterwards:\n";
var_dump($status, PinnedCache::get('wrong', 0), PinnedCache::get('checks') > 20, abs($after - $before) < 65536);
var_dump(PinnedCache::set('third', $large));
--EXPECT--
while they are held:
bool(true)
bool(true)
bool(false)
bool(true)
afterwards:
int(0)
int(0)
bool(true)
bool(true)
bool(true)
