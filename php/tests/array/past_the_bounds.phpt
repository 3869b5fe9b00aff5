--TEST--
larder: array: past the bounds of what a request may hold, arrays come as private copies
--EXTENSIONS--
larder
--INI--
larder.volatile_size=4M
larder.form=ready
--FILE--
<?php
use Larder\VolatileCache;

/* A request may hold a quarter of the store's bytes. These arrays take more, so later fetches return copies. */
$row = ['id' => 1, 'tags' => ['a', 'b', 'c'], 'text' => str_repeat('x', 700), 'empty' => []];
for ($i = 0; $i < 1500; $i++) { $row['id'] = $i; VolatileCache::set("k$i", $row); }
$all = [];
for ($i = 0; $i < 1500; $i++) $all[$i] = VolatileCache::get("k$i");
$wrong = 0;
for ($i = 0; $i < 1500; $i++) { $row['id'] = $i; $wrong += $all[$i] !== $row; }
var_dump($wrong, VolatileCache::info()->copies > 300);
for ($i = 0; $i < 1500; $i++) VolatileCache::set("k$i", 'other');
for ($i = 0; $i < 1500; $i++) { $row['id'] = $i; $wrong += $all[$i] !== $row; $all[$i]['tags'][] = 'd'; unset($all[$i]['text']); }
var_dump($wrong, $all[1499]);
--EXPECT--
int(0)
bool(true)
int(0)
array(3) {
  ["id"]=>
  int(1499)
  ["tags"]=>
  array(4) {
    [0]=>
    string(1) "a"
    [1]=>
    string(1) "b"
    [2]=>
    string(1) "c"
    [3]=>
    string(1) "d"
  }
  ["empty"]=>
  array(0) {
  }
}
