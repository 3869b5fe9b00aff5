--TEST--
larder: lifetime: what was fetched stays, while another process deletes and overwrites 10,000 times in a full store
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
use Larder\VolatileCache;

$value = ['rows' => array_map(fn($i) => ['id' => $i, 'name' => "name $i"], range(1, 200)), 's' => str_repeat('held', 300)];
VolatileCache::set('k', $value); VolatileCache::set('s', $value['s']);
$held = VolatileCache::get('k'); $s = VolatileCache::get('s');
if (($pid = pcntl_fork()) === 0) {
    for ($i = 0; $i < 10000; $i++) {
        VolatileCache::set('k', ['rows' => array_fill(0, 200, ['id' => -$i, 'name' => 'other']), 's' => str_repeat('x', 1200)]);
        VolatileCache::set('s', str_repeat('y', 1200));
        if ($i % 3 === 0) { VolatileCache::delete('k'); VolatileCache::delete('s'); }
        VolatileCache::set('fill' . $i % 1000, str_repeat('z', 1000 + $i % 5000));
    }
    exit(0);
}
$wrong = 0;
while (pcntl_waitpid($pid, $status, WNOHANG) === 0) { $wrong += $held !== $value || $s !== $value['s']; usleep(500); }
var_dump($status, $wrong, $held === $value, $s === $value['s'], VolatileCache::info()->evictions > 0);
--EXPECT--
int(0)
int(0)
bool(true)
bool(true)
bool(true)
