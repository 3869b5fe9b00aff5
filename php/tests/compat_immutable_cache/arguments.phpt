--TEST--
larder: compat_immutable_cache: functions of immutable_cache check their arguments
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

class Text { public function __toString(): string { return '5'; } }
immutable_cache_add(['5' => 'five', '1' => 'one', '1.5' => 'float']);
show(immutable_cache_fetch(5), immutable_cache_fetch(true), immutable_cache_fetch(1.5), immutable_cache_fetch(new Text), immutable_cache_exists(new Text), immutable_cache_exists(1.5));
show(immutable_cache_fetch(null), immutable_cache_exists(null), immutable_cache_exists(false));
thrown(fn() => immutable_cache_exists(new stdClass));
thrown(fn() => immutable_cache_exists());
thrown(fn() => immutable_cache_fetch());
thrown(fn() => immutable_cache_fetch('a', $s, 1));
thrown(fn() => immutable_cache_add('a', 1, 0));
thrown(fn() => immutable_cache_key_info([]));
thrown(fn() => immutable_cache_key_info());
thrown(fn() => immutable_cache_cache_info([]));
thrown(fn() => immutable_cache_cache_info(true, true));
thrown(fn() => immutable_cache_sma_info([]));
thrown(fn() => immutable_cache_enabled(1));
show(immutable_cache_add(key: 'named', value: 1), immutable_cache_fetch(key: 'named'), count(immutable_cache_cache_info(limited: true)), count(immutable_cache_sma_info(limited: true)));
--EXPECT--
"five" "one" "float" "five" true true 
false false false 
Error: Object of class stdClass could not be converted to string
ArgumentCountError: immutable_cache_exists() expects exactly 1 argument, 0 given
ArgumentCountError: immutable_cache_fetch() expects at least 1 argument, 0 given
ArgumentCountError: immutable_cache_fetch() expects at most 2 arguments, 3 given
ArgumentCountError: immutable_cache_add() expects at most 2 arguments, 3 given
TypeError: immutable_cache_key_info(): Argument #1 ($key) must be of type string, array given
ArgumentCountError: immutable_cache_key_info() expects exactly 1 argument, 0 given
TypeError: immutable_cache_cache_info(): Argument #1 ($limited) must be of type bool, array given
ArgumentCountError: immutable_cache_cache_info() expects at most 1 argument, 2 given
TypeError: immutable_cache_sma_info(): Argument #1 ($limited) must be of type bool, array given
ArgumentCountError: immutable_cache_enabled() expects exactly 0 arguments, 1 given
true 1 9 3 
