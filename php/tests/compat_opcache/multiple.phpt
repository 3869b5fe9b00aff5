--TEST--
larder: compat_opcache: getMultiple() keeps the order it was asked for, with a default for each key
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

foreach (['OPcache\VolatileCache', 'OPcache\PinnedCache'] as $class) {
    show($class::setMultiple(['b' => 1, 7 => 'seven', 'null' => null, '08' => 'string']), $class::setMultiple([]));
    show(array_keys($class::getMultiple(['null', 7, 'none', 'b'])), $class::getMultiple(['none', 'other'], ['other' => 'default', 'b' => 'unused']), $class::getMultiple([]));
    var_dump($class::getMultiple(['7', '08', 'null'], ['null' => 'not this']));
    show($class::getMultiple(['b', 'b']), $class::deleteMultiple([]), $class::deleteMultiple(['b', 7]), $class::has('7'), $class::deleteMultiple(['null', 'none']), $class::has('null'));
    try { $class::setMultiple(['first' => 1, 'bad' => [fn() => 1]]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
    show($class::has('first'));
}
--EXPECT--
true true 
["null",7,"none","b"] {"none":null,"other":"default"} [] 
array(3) {
  [7]=>
  string(5) "seven"
  ["08"]=>
  string(6) "string"
  ["null"]=>
  NULL
}
{"b":1} true true false false false 
OPcache\VolatileCache::setMultiple(): Argument #1 ($values) must not contain an instance of Closure, found at $values['bad'][0]
false 
true true 
["null",7,"none","b"] {"none":null,"other":"default"} [] 
array(3) {
  [7]=>
  string(5) "seven"
  ["08"]=>
  string(6) "string"
  ["null"]=>
  NULL
}
{"b":1} true true false false false 
OPcache\PinnedCache::setMultiple(): Argument #1 ($values) must not contain an instance of Closure, found at $values['bad'][0]
false 
