--TEST--
larder: compat_apcu: a resource is not stored by itself, and is 0 inside of a value
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

set_error_handler(function (int $level, string $text) { echo $level === E_WARNING ? 'warned ' : "level $level ", "\n"; return true; });
apcu_store('r', 'was');
show(apcu_store('r', STDIN), apcu_fetch('r'), apcu_add('new', STDIN), apcu_exists('new'));
show(apcu_store(['r' => STDIN, 'after' => 1]), apcu_fetch('r'), apcu_fetch('after'));
show(apcu_store('list', ['a' => STDIN, 'b' => [STDIN]]), apcu_fetch('list'));
$closed = tmpfile(); fclose($closed);
show(apcu_store('closed', [$closed]), apcu_fetch('closed'));
--EXPECT--
warned 
warned 
false "was" false false 
warned 
{"r":-1} "was" 1 
true {"a":0,"b":[0]} 
true [0] 
