--TEST--
larder: compat_apcu: apcu_entry() computes what is not there, once
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

$calls = 0;
$f = function ($key) use (&$calls) { $calls++; return "$key $calls"; };
show(apcu_entry('e', $f), apcu_entry('e', $f), apcu_fetch('e'), $calls, apcu_key_info('e')['ttl']);
show(apcu_entry('t', $f, 60), apcu_key_info('t')['ttl'], apcu_entry('null', fn() => null), apcu_exists('null'), apcu_entry('null', fn() => 'again'));
show(apcu_entry('array', fn() => [1, [2]]), apcu_entry('array', fn() => 0), apcu_entry('named', 'strtoupper'), apcu_fetch('named'));
show(apcu_entry('reference', function &($key) { static $x = 5; return $x; }), apcu_fetch('reference'));
thrown(fn() => apcu_entry('x', function () { throw new RuntimeException('computing failed'); }));
show(apcu_exists('x'), apcu_entry('x', fn() => 'fine'));
show(apcu_entry('outer', fn($key) => apcu_entry('inner', fn($k) => "$key $k") . '!'), apcu_fetch('inner'), apcu_fetch('outer'));
show(apcu_entry('mine', fn() => [apcu_fetch('mine'), apcu_store('mine', 'stored'), apcu_exists('mine')]), apcu_fetch('mine'));
show(apcu_entry('self', fn() => apcu_entry('self', fn() => 'inside') . '!'), apcu_fetch('self'));
thrown(fn() => apcu_entry('closure', fn() => fn() => 1));
show(apcu_exists('closure'), apcu_entry('closure', fn() => 'fine'));
thrown(fn() => apcu_entry('y', 'no_such_function'));
thrown(fn() => apcu_entry('y'));
--EXPECT--
"e 1" "e 1" "e 1" 1 0 
"t 2" 60 null true null 
[1,[2]] [1,[2]] "NAMED" "NAMED" 
5 5 
RuntimeException: computing failed
false "fine" 
"outer inner!" "outer inner" "outer inner!" 
[false,true,true] "stored" 
"inside!" "inside" 
Exception: Serialization of 'Closure' is not allowed
false "fine" 
TypeError: apcu_entry(): Argument #2 ($callback) must be a valid callback, function "no_such_function" not found or invalid function name
ArgumentCountError: apcu_entry() expects at least 2 arguments, 1 given
