--TEST--
larder: compat_apcu: keys that are neither strings nor arrays are reported, not thrown
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

class Text { function __toString() { return 'text'; } }
set_error_handler(function ($level, $message) { echo $level === E_WARNING ? 'Warning' : $level, ': ', $message, "\n"; return true; });
foreach ([null, 12, 1.5, true, new stdClass, new Text] as $key) show(apcu_store($key, 1), apcu_add($key, 1));
foreach ([null, 12, true] as $key) show(apcu_delete($key));
apcu_store('5', 'five'); apcu_store('text', 'T'); apcu_store('a', 1);
show(apcu_fetch(5), apcu_exists(5), apcu_fetch(null), apcu_exists(1.5), apcu_fetch(new Text), apcu_exists(new Text));
show(apcu_fetch(['a', 5, null, 'none']), apcu_exists(['a', 1.5, 'none']), apcu_delete(['a', 5, null, 1.5, 'none']), apcu_exists('a'));
thrown(fn() => apcu_fetch(new stdClass));
thrown(fn() => apcu_exists(new stdClass));
thrown(fn() => apcu_delete(new stdClass));
thrown(fn() => apcu_inc([]));
thrown(fn() => apcu_cas([], 1, 2));
thrown(fn() => apcu_entry([], fn() => 1));
set_error_handler(function ($level, $message) { throw new ErrorException($message); });
thrown(fn() => apcu_fetch([1, 'a', 2]));
thrown(fn() => apcu_exists([1, 'a', 2]));
thrown(fn() => apcu_delete([1, 'text', 2]));
show(apcu_exists('text'));
--EXPECT--
Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs.
Warning: apcu_add(): apc_store expects key parameter to be a string or an array of key/value pairs.
false false 
Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs.
Warning: apcu_add(): apc_store expects key parameter to be a string or an array of key/value pairs.
false false 
Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs.
Warning: apcu_add(): apc_store expects key parameter to be a string or an array of key/value pairs.
false false 
Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs.
Warning: apcu_add(): apc_store expects key parameter to be a string or an array of key/value pairs.
false false 
Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs.
Warning: apcu_add(): apc_store expects key parameter to be a string or an array of key/value pairs.
false false 
Warning: apcu_store(): apc_store expects key parameter to be a string or an array of key/value pairs.
Warning: apcu_add(): apc_store expects key parameter to be a string or an array of key/value pairs.
false false 
Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance
false 
Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance
false 
Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance
false 
"five" true false false "T" true 
Warning: apcu_fetch(): apc_fetch() expects a string or array of strings.
Warning: apcu_fetch(): apc_fetch() expects a string or array of strings.
Warning: apcu_exists(): apc_exists() expects a string or array of strings.
Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance
Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance
Warning: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance
{"a":1} {"a":true} [5,null,1.5,"none"] false 
Error: Object of class stdClass could not be converted to string
Error: Object of class stdClass could not be converted to string
Error: apc_delete object argument must be instance of APCUIterator.
TypeError: apcu_inc(): Argument #1 ($key) must be of type string, array given
TypeError: apcu_cas(): Argument #1 ($key) must be of type string, array given
TypeError: apcu_entry(): Argument #1 ($key) must be of type string, array given
ErrorException: apcu_fetch(): apc_fetch() expects a string or array of strings.
ErrorException: apcu_exists(): apc_exists() expects a string or array of strings.
ErrorException: apcu_delete(): apc_delete() expects a string, array of strings, or APCIterator instance
true 
