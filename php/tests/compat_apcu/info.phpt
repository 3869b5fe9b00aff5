--TEST--
larder: compat_apcu: apcu_cache_info(), apcu_sma_info() and apcu_key_info() have the keys and types of APCu
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

function shape(mixed $value): mixed { return is_array($value) ? array_map('shape', $value) : gettype($value); }
apcu_store('k', range(1, 100), 100); apcu_fetch('k'); apcu_fetch('none');
$info = apcu_cache_info();
$info['slot_distribution'] = [];
show(shape($info));
show(array_keys(apcu_cache_info(true)) === array_slice(array_keys($info), 0, 10), $info['num_hits'], $info['num_misses'], $info['num_inserts'], $info['num_entries'], $info['expunges'], $info['memory_type'], $info['mem_size'] > 800, abs(time() - $info['start_time']) < 60);
show($info['cache_list'][0]['info'], $info['cache_list'][0]['ttl'], $info['cache_list'][0]['mem_size'] > 800, $info['cache_list'][0]['deletion_time'], $info['cache_list'][0]['ref_count']);
$sma = apcu_sma_info();
show(shape($sma), array_keys(apcu_sma_info(true)), $sma['num_seg'], $sma['seg_size'] <= 32 << 20, $sma['avail_mem'] < $sma['seg_size'], $sma['avail_mem'] > $sma['seg_size'] * 0.9);
show(array_keys(apcu_key_info('k')), apcu_key_info('k')['ttl'], array_unique(array_map('gettype', apcu_key_info('k'))), apcu_key_info('none'));
--EXPECT--
{"num_slots":"integer","ttl":"integer","num_hits":"double","num_misses":"double","num_inserts":"double","num_entries":"integer","expunges":"double","start_time":"integer","mem_size":"double","memory_type":"string","cache_list":[{"info":"string","ttl":"integer","num_hits":"double","mtime":"integer","creation_time":"integer","deletion_time":"integer","access_time":"integer","ref_count":"integer","mem_size":"integer"}],"deleted_list":[],"slot_distribution":[]} 
true 1.0 1.0 1.0 1 0.0 "mmap" true true 
"k" 100 true 0 0 
{"num_seg":"integer","seg_size":"double","avail_mem":"double","block_lists":[[{"size":"integer","offset":"integer"}]]} ["num_seg","seg_size","avail_mem"] 1 true true true 
["hits","access_time","mtime","creation_time","deletion_time","ttl","refs"] 100 {"hits":"integer"} null 
