--TEST--
larder: compat_immutable_cache: lists of keys are looked at by their elements, in their order
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

set_error_handler(function (int $level, string $text) { echo $level === E_WARNING ? 'warned ' : "level $level ", "\n"; return true; });
immutable_cache_add(['a' => 1, 'b' => null, '5' => 'five']);
$key = 'b'; $keys = ['x' => 'a', 'y' => &$key, 'none', 'a'];
show(immutable_cache_fetch($keys), immutable_cache_exists($keys), array_keys(immutable_cache_fetch(['b', 'a'])));
foreach ([5, 1.5, null, true, [], new stdClass] as $bad) show(immutable_cache_fetch([$bad, 'a']), immutable_cache_exists(['a', $bad]));
var_dump(immutable_cache_fetch(['5'])['5'], immutable_cache_exists(['5'])['5']);
set_error_handler(fn() => throw new ErrorException('thrown'));
thrown(fn() => immutable_cache_fetch(['a', 5, 'b']));
thrown(fn() => immutable_cache_exists(['a', 5, 'b']));
--EXPECT--
{"a":1,"b":null} {"a":true,"b":true} ["b","a"] 
warned 
warned 
{"a":1} {"a":true} 
warned 
warned 
{"a":1} {"a":true} 
warned 
warned 
{"a":1} {"a":true} 
warned 
warned 
{"a":1} {"a":true} 
warned 
warned 
{"a":1} {"a":true} 
warned 
warned 
{"a":1} {"a":true} 
string(4) "five"
bool(true)
ErrorException: thrown
ErrorException: thrown
