--TEST--
larder: errors: a list past memory_limit ends the request in order, not at the hard limit that kills the process
--EXTENSIONS--
larder
--INI--
larder.compat=apcu,immutable_cache
larder.volatile_size=128M
larder.pinned_size=128M
apc.shm_size=64M
apc.enable_cli=1
immutable_cache.enable_cli=1
immutable_cache.shm_size=64M
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
if (extension_loaded('apcu')) die('skip apcu is loaded');
?>
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

const COUNT = 40000;
function value(int $i): string { return "value $i " . str_repeat('v', 600); }

if (($pid = pcntl_fork()) === 0) {
    ini_set('memory_limit', '512M');
    for ($i = 0; $i < COUNT; $i++) { $values["key $i"] = value($i); PinnedCache::set("key $i " . str_repeat('k', 400), true); }
    exit(VolatileCache::setMultiple($values) && VolatileCache::pool('pool')->setMultiple($values) && apcu_store($values) === [] && immutable_cache_add($values) === [] ? 0 : 1);
}
pcntl_waitpid($pid, $status);
var_dump($status);
$keys = array_map(fn($i) => "key $i", range(0, COUNT - 1));
$pool = VolatileCache::pool('pool');
foreach ([
    'getMultiple' => fn() => VolatileCache::getMultiple($keys),
    'a pool\'s getMultiple' => fn() => $pool->getMultiple($keys),
    'keys' => fn() => PinnedCache::keys(),
    'the inspector\'s keys' => fn() => Larder\Inspector::own('pinned')->keys(),
    'its entries' => /* the result needs more memory than the list of found entries */ fn() => Larder\Inspector::own('pinned')->entries('', 'size', 0, null),
    'apcu_fetch' => fn() => apcu_fetch($keys),
    'apcu_exists' => fn() => apcu_exists($keys),
    'apcu_cache_info' => fn() => apcu_cache_info()['cache_list'],
    'immutable_cache_fetch' => fn() => immutable_cache_fetch($keys),
    'immutable_cache_exists' => fn() => immutable_cache_exists($keys),
    'immutable_cache_cache_info' => fn() => immutable_cache_cache_info()['cache_list'],
] as $name => $list) {
    echo "$name:";
    if (($pid = pcntl_fork()) === 0) {
        register_shutdown_function(function () use ($list) { ini_set('memory_limit', '512M'); echo 'and then ', count($list()) >= COUNT ? 'all' : 'SOME', "\n"; });
        ini_set('memory_limit', (string) (memory_get_usage(true) + ($name === 'its entries' ? 26000000 : 1000000)));
        $list();
        echo "there was memory\n";
        exit;
    }
    pcntl_waitpid($pid, $status);
}
?>
--EXPECTF--
int(0)
getMultiple:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
a pool's getMultiple:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
keys:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
the inspector's keys:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
its entries:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
apcu_fetch:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
apcu_exists:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
apcu_cache_info:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
immutable_cache_fetch:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
immutable_cache_exists:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
immutable_cache_cache_info:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
