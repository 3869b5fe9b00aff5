--TEST--
larder: immutable_cache: cache_info(), key_info(), sma_info()
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--SKIPIF--
<?php
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
?>
--FILE--
<?php
immutable_cache_add('one', str_repeat('x', 1000)); immutable_cache_add('two', 2);
immutable_cache_fetch('one'); immutable_cache_fetch('none');
$info = immutable_cache_cache_info();
foreach ($info as $name => $value) echo $name, ' ', get_debug_type($value), "\n";
var_dump($info['num_entries'], $info['num_inserts'], $info['num_hits'], $info['num_misses'], $info['ttl'], $info['memory_type'], abs(time() - $info['start_time']) < 60, $info['mem_size'] > 1000);
usort($info['cache_list'], fn ($a, $b) => strcmp($a['info'], $b['info']));
echo json_encode($info['cache_list']), "\n";
var_dump(array_diff_key($info, immutable_cache_cache_info(true)) === array_intersect_key($info, ['cache_list' => 1, 'deleted_list' => 1, 'slot_distribution' => 1]));
var_dump(immutable_cache_key_info('one'), immutable_cache_key_info('none'), immutable_cache_key_info(''));
$sma = immutable_cache_sma_info();
echo implode(' ', array_keys($sma)), "\n";
var_dump($sma['num_seg'], $sma['seg_size'], $sma['avail_mem'] < $sma['seg_size'], $sma['block_lists'][0][0]['size'] === $sma['avail_mem'], isset(immutable_cache_sma_info(true)['block_lists']));
--EXPECT--
num_slots int
ttl int
num_hits float
num_misses float
num_inserts float
num_entries int
start_time int
mem_size float
memory_type string
cache_list array
deleted_list array
slot_distribution array
int(2)
float(2)
float(1)
float(1)
int(0)
string(4) "mmap"
bool(true)
bool(true)
[{"info":"one","num_hits":0,"creation_time":0,"access_time":0,"mem_size":1032},{"info":"two","num_hits":0,"creation_time":0,"access_time":0,"mem_size":8}]
bool(true)
array(3) {
  ["hits"]=>
  int(0)
  ["access_time"]=>
  int(0)
  ["creation_time"]=>
  int(0)
}
NULL
NULL
num_seg seg_size avail_mem block_lists
int(1)
int(268435456)
bool(true)
bool(true)
bool(false)
