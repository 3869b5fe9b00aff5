--TEST--
larder: compat_apcu: apcu_fetch() takes what can be converted to a string for a key
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

class Text { public function __toString(): string { return '5'; } }
apcu_store(['5' => 'five', '1' => 'one', '' => 'empty', '1.5' => 'float', 'Array' => 'no']);
show(apcu_fetch(5), apcu_fetch(true), apcu_fetch(false), apcu_fetch(null), apcu_fetch(1.5), apcu_fetch(5.0), apcu_fetch(new Text));
thrown(fn() => apcu_fetch(new stdClass));
thrown(fn() => apcu_fetch());
thrown(fn() => apcu_fetch('a', $s, 1));
--EXPECT--
"five" "one" "empty" "empty" "float" "five" "five" 
Error: Object of class stdClass could not be converted to string
ArgumentCountError: apcu_fetch() expects at least 1 argument, 0 given
ArgumentCountError: apcu_fetch() expects at most 2 arguments, 3 given
