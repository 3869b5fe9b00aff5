--TEST--
larder: errors: a list past memory_limit ends the request in order, not at the hard limit that kills the process
--EXTENSIONS--
larder
--INI--
memory_limit=2G
larder.volatile_size=256M
larder.pinned_size=128M
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP');
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

const COUNT = 70000;
$values = [];
for ($i = 0; $i < COUNT; $i++) $values["key $i"] = "value $i " . str_repeat('v', 600);
$pool = VolatileCache::pool('pool');
var_dump(VolatileCache::setMultiple($values), $pool->setMultiple($values));
foreach ($values as $key => $_) PinnedCache::set("$key " . str_repeat('k', 400), true);
$keys = array_map(strval(...), array_keys($values));
unset($values);
gc_mem_caches();
foreach ([
    'getMultiple' => fn() => VolatileCache::getMultiple($keys),
    'a pool\'s getMultiple' => fn() => $pool->getMultiple($keys),
    'keys' => fn() => PinnedCache::keys(),
    'the inspector\'s keys' => fn() => Larder\Inspector::own('pinned')->keys(),
    'its entries' => /* the result needs more memory than the list of found entries */ fn() => Larder\Inspector::own('pinned')->entries('', 'size', 0, null),
] as $name => $list) {
    echo "$name:";
    if (($pid = pcntl_fork()) === 0) {
        $limit = ini_get('memory_limit');
        register_shutdown_function(function () use ($list, $limit) { ini_set('memory_limit', $limit); echo 'and then ', count($list()) >= COUNT ? 'all' : 'SOME', "\n"; });
        ini_set('memory_limit', (string) (memory_get_usage(true) + ($name === 'its entries' ? 45000000 : 1000000)));
        $list();
        echo "there was memory\n";
        exit;
    }
    pcntl_waitpid($pid, $status);
}
?>
--EXPECTF--
bool(true)
bool(true)
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
