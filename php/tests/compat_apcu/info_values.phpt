--TEST--
larder: compat_apcu: what Larder does not keep is 0
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
apc.ttl=7200
apc.shm_size=5M
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

apcu_store('k', range(1, 100), 100); apcu_fetch('k'); apcu_store('k', 1, 100); apcu_store('other', 1); apcu_delete('other');
show(apcu_key_info('k'), apcu_cache_info()['cache_list'], apcu_cache_info()['num_slots'] > 1000, apcu_cache_info()['ttl']);
show(apcu_cache_info(true)['num_entries'], apcu_cache_info(true)['num_inserts'], apcu_sma_info(true)['seg_size']);
--EXPECT--
{"hits":0,"access_time":0,"mtime":0,"creation_time":0,"deletion_time":0,"ttl":100,"refs":0} [{"info":"k","ttl":100,"num_hits":0.0,"mtime":0,"creation_time":0,"deletion_time":0,"access_time":0,"ref_count":0,"mem_size":9}] true 7200 
1 3.0 5242880.0 
