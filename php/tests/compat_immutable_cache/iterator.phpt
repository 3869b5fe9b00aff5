--TEST--
larder: immutable_cache: walks over all entries, or over the entries that a pattern or a list names
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
for ($i = 0; $i < 500; $i++) immutable_cache_add("key$i", "value $i");
function keys($it) { $keys = []; foreach ($it as $key => $value) $keys[$key] = $value; ksort($keys, SORT_NATURAL); return $keys; }
$all = keys(new ImmutableCacheIterator);
var_dump(count($all), $all['key77']['value'], array_keys($all['key77']));
echo json_encode(keys(new ImmutableCacheIterator('/^key(1|2.)$/', IMMUTABLE_CACHE_ITER_VALUE))), "\n";
echo json_encode(keys(new ImmutableCacheIterator(['key9', 'none', 'key8'], IMMUTABLE_CACHE_ITER_KEY, 1))), "\n";
echo json_encode(keys(new ImmutableCacheIterator('/key5$/', IMMUTABLE_CACHE_ITER_NONE))), "\n";
echo json_encode(keys(new ImmutableCacheIterator('/key5$/', IMMUTABLE_CACHE_ITER_TYPE | IMMUTABLE_CACHE_ITER_MEM_SIZE | IMMUTABLE_CACHE_ITER_NUM_HITS))), "\n";
var_dump(count(keys(new ImmutableCacheIterator('')) + keys(new ImmutableCacheIterator(null))), count(keys(new ImmutableCacheIterator([]))));
$it = new ImmutableCacheIterator('/^key4..$/');
var_dump($it->getTotalCount(), $it->getTotalHits(), $it->getTotalSize() === 100 * strlen('value 400'));
echo "by hand\n";
$it = new ImmutableCacheIterator(['key3'], IMMUTABLE_CACHE_ITER_VALUE);
$it->next(); /* no effect, because the iteration has not begun */
var_dump($it->valid(), $it->key(), $it->current(), $it->key());
$it->next(); var_dump($it->valid()); $it->next();
foreach (['key', 'current'] as $method) try { $it->$method(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
$it->rewind(); var_dump($it->key());
echo "added meanwhile\n";
$seen = 0; foreach (new ImmutableCacheIterator('/^key\d+$/') as $key => $item) { immutable_cache_add("more $key", 1); $seen++; }
var_dump($seen);
$it = new ImmutableCacheIterator; $it->rewind(); unset($it);
--EXPECT--
int(500)
string(8) "value 77"
array(7) {
  [0]=>
  string(4) "type"
  [1]=>
  string(3) "key"
  [2]=>
  string(5) "value"
  [3]=>
  string(8) "num_hits"
  [4]=>
  string(13) "creation_time"
  [5]=>
  string(11) "access_time"
  [6]=>
  string(8) "mem_size"
}
{"key1":{"value":"value 1"},"key20":{"value":"value 20"},"key21":{"value":"value 21"},"key22":{"value":"value 22"},"key23":{"value":"value 23"},"key24":{"value":"value 24"},"key25":{"value":"value 25"},"key26":{"value":"value 26"},"key27":{"value":"value 27"},"key28":{"value":"value 28"},"key29":{"value":"value 29"}}
{"key8":{"key":"key8"},"key9":{"key":"key9"}}
{"key5":[]}
{"key5":{"type":"user","num_hits":0,"mem_size":7}}
int(500)
int(0)
int(100)
int(0)
bool(true)
by hand
bool(true)
string(4) "key3"
array(1) {
  ["value"]=>
  string(7) "value 3"
}
string(4) "key3"
bool(false)
Cannot call key() on invalid iterator
Cannot call current() on invalid iterator
string(4) "key3"
added meanwhile
int(500)
