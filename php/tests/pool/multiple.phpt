--TEST--
larder: pool: several entries of a pool at once keep their order and their defaults
--EXTENSIONS--
larder
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

$p = Larder\VolatileCache::pool('p');
show($p->setMultiple(['b' => 1, 7 => 'seven', 'null' => null]), $p->setMultiple([]), $p->getMultiple([]));
show(array_keys($p->getMultiple(['null', 7, 'none', 'b'])), $p->getMultiple(['none', 'b', 'x'], ['x' => [1], 'b' => 'unused']));
$value = 'before'; $defaults = ['x' => &$value];
$got = $p->getMultiple(['x'], $defaults); $value = 'after';
show($got, $p->deleteMultiple([]), $p->deleteMultiple(['b', 7]), $p->deleteMultiple(['null', 'none']), $p->has('null'));
show($p->setMultiple(['s' => 1], 0.05), usleep(150000), $p->getMultiple(['s'], ['s' => 'gone']));
try { $p->setMultiple(['first' => 1, 'bad' => [fn() => 1]]); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
show($p->has('first'));
--EXPECT--
true true [] 
["null",7,"none","b"] {"none":null,"b":1,"x":[1]} 
{"x":"before"} true true false false 
true null {"s":"gone"} 
Larder\Pool::setMultiple(): Argument #1 ($values) must not contain an instance of Closure, found at $values['bad'][0]
false 
