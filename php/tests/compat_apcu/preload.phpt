--TEST--
larder: compat_apcu: apc.preload_path fills the store; bad files are named
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
apc.preload_path={PWD}/preload
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

spl_autoload_register(function ($name) { echo "loading $name\n"; eval("class $name { public \$a; function __wakeup() { echo 'awake\n'; } }"); });
show(apcu_fetch('number'), apcu_fetch('two.parts'), apcu_fetch('list'), apcu_fetch('false', $s), $s, apcu_exists(['two', 'bad', 'trailing', 'empty', 'other', 'other.txt', '']));
show(apcu_fetch('class')); var_dump(apcu_fetch('object'));
gc_collect_cycles();
show(apcu_fetch('loop')[0][0] !== null, apcu_cache_info(true)['num_entries'], apcu_key_info('number')['ttl']);
gc_collect_cycles(); apcu_delete('number'); apcu_clear_cache();
show(apcu_exists('number'), apcu_exists('list'));
if (($pid = pcntl_fork()) === 0) { show(apcu_exists('list')); exit; }
pcntl_waitpid($pid, $status);
--EXPECTF--
Larder: apc.preload_path: %s/preload/bad.data does not hold a serialized value
Larder: apc.preload_path: %s/preload/empty.data does not hold a serialized value
Larder: apc.preload_path: %s/preload/trailing.data does not hold a serialized value
5 "str" {"a":[1,true,null],"b":1.5} false true [] 
loading Preloaded
awake
{"a":1} 
object(ArrayObject)#%d (1) {
  ["storage":"ArrayObject":private]=>
  array(1) {
    [0]=>
    int(1)
  }
}
true 7 0 
false false 
false 
