--TEST--
larder: compat_apcu: a list past memory_limit ends the request in order, not at the hard limit that kills the process
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
memory_limit=512M
apc.shm_size=64M
apc.enable_cli=1
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP');
if (!extension_loaded('pcntl')) die('skip needs pcntl');
if (extension_loaded('apcu')) die('skip apcu is loaded');
?>
--FILE--
<?php
const COUNT = 40000;
$values = [];
for ($i = 0; $i < COUNT; $i++) $values["key $i"] = "value $i " . str_repeat('v', 600);
var_dump(apcu_store($values) === []);
$keys = array_map(strval(...), array_keys($values));
unset($values);
gc_mem_caches();
foreach ([
    'apcu_fetch' => fn() => apcu_fetch($keys),
    'apcu_exists' => fn() => apcu_exists($keys),
    'apcu_cache_info' => fn() => apcu_cache_info()['cache_list'],
] as $name => $list) {
    echo "$name:";
    if (($pid = pcntl_fork()) === 0) {
        $limit = ini_get('memory_limit');
        register_shutdown_function(function () use ($list, $limit) { ini_set('memory_limit', $limit); echo 'and then ', count($list()) >= COUNT ? 'all' : 'SOME', "\n"; });
        ini_set('memory_limit', (string) (memory_get_usage(true) + 1000000));
        $list();
        echo "there was memory\n";
        exit;
    }
    pcntl_waitpid($pid, $status);
}
?>
--EXPECTF--
bool(true)
apcu_fetch:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
apcu_exists:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
apcu_cache_info:
Fatal error: Allowed memory size of %d bytes exhausted%s(tried to allocate %d bytes) in %s on line %d
and then all
