--TEST--
larder: cache: has() and add() take an entry that get() cannot restore for a miss, in all stores and layers (immutable_cache replaces nothing); one whose hooks throw is there
--EXTENSIONS--
larder
--INI--
larder.compat=apcu,immutable_cache
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
if (extension_loaded('apcu')) die('skip the real apcu is loaded');
?>
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

const HOOKS = 'function __serialize(): array { return [1]; } function __unserialize(array $d): void';
function child(Closure $run): void { if (($pid = pcntl_fork()) === 0) { $run(); exit; } pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }

$pool = VolatileCache::pool('p');
$stores = [ // set, get, has, add
    'volatile' => [VolatileCache::set(...), VolatileCache::get(...), VolatileCache::has(...), VolatileCache::add(...)],
    'pinned' => [PinnedCache::set(...), PinnedCache::get(...), PinnedCache::has(...), PinnedCache::add(...)],
    'pool' => [$pool->set(...), $pool->get(...), $pool->has(...), $pool->add(...)],
    'apcu' => [apcu_store(...), fn($key, $default) => ($v = apcu_fetch($key, $found)) || $found ? $v : $default, apcu_exists(...), apcu_add(...)],
    'immutable' => [immutable_cache_add(...), fn($key, $default) => ($v = immutable_cache_fetch($key, $found)) || $found ? $v : $default, immutable_cache_exists(...), immutable_cache_add(...)],
];
pcntl_async_signals(true);
child(function () use ($stores) {
    eval('class Changed { public $a = 1; } class Gone { public $a = 1; } enum Suit { case Hearts; case Spades; } class Late { public $a; } class Throws { ' . HOOKS . ' { } }');
    foreach ($stores as [$set])
        foreach (['changed' => new Changed, 'inside' => [1, new Changed], 'gone' => new Gone, 'case' => Suit::Spades, 'late' => new Late, 'throws' => new Throws, 'plain' => [1, 2]] as $key => $value)
            $set($key, $value) || exit("not stored: $key\n");
});
eval('class Changed { public $a = 1; public $b = 2; } enum Suit { case Hearts; } class Throws { ' . HOOKS . ' { throw new Exception("a hook says no"); } }');
foreach ($stores as $name => [$set, $get, $has, $add]) {
    echo "$name:";
    foreach (['changed', 'inside', 'gone', 'case'] as $key) {
        if ($get($key, 'a miss') !== 'a miss' || $has($key))
            echo " $key is there";
        if ($name === 'immutable' ? $add($key, 'its entries stay') : !$add($key, "new $key") || $get($key, 'a miss') !== "new $key" || !$has($key) || $add($key, 'once more'))
            echo " add() of $key is wrong";
    }
    foreach (['throws', 'plain'] as $key)
        if (!$has($key) || $add($key, 'new'))
            echo " $key is wrong";
    try { $get('throws', 'a miss'); } catch (Exception $e) { echo ' ', $e->getMessage(); }
    // add() must not replace the entry that the autoloader stores under the same key.
    spl_autoload_register($load = fn(string $class) => $set('late', 'by the loader'));
    echo $add('late', 'by add()') ? ', added: ' : ', not added: ', $get('late', 'a miss');
    spl_autoload_unregister($load);
    echo "\n";
}
--EXPECT--
volatile: a hook says no, not added: by the loader
pinned: a hook says no, not added: by the loader
pool: a hook says no, not added: by the loader
apcu: a hook says no, not added: by the loader
immutable: a hook says no, not added: a miss
