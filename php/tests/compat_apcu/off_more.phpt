--TEST--
larder: compat_apcu: with apc.enable_cli=0 apcu_entry() still computes, and Larder goes on
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
apc.enable_cli=0
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

show(apcu_enabled(), extension_loaded('apcu'));
show(apcu_store('a', 1), apcu_store(['a' => 1, 5 => 2]), apcu_add('a', 1), apcu_add(['b' => 1]), apcu_store('c', fn() => 1));
show(apcu_fetch('a', $s), $s, apcu_fetch(['a'], $s), $s, apcu_exists('a'), apcu_exists(['a']), apcu_delete('a'), apcu_delete(['a']));
show(apcu_inc('a', 1, $s), $s, apcu_dec('a'), apcu_cas('a', 1, 2), apcu_key_info('a'), apcu_clear_cache());

show(apcu_entry('a', fn($key) => "computed for $key"), @apcu_cache_info(), error_get_last()['message'], @apcu_sma_info(), error_get_last()['message']);
thrown(fn() => new APCUIterator);
show(Larder\VolatileCache::set('k', 1), Larder\VolatileCache::get('k'), ini_get('apc.enabled'), ini_get('apc.enable_cli'));
--EXPECT--
false true 
false {"a":-1,"5":-1} false {"b":-1} false 
false false [] true false [] false ["a"] 
false false false false null true 
"computed for a" false "apcu_cache_info(): No APC info available.  Perhaps APC is not enabled? Check apc.enabled in your ini file" false "apcu_sma_info(): No APC SMA info available.  Perhaps APC is disabled via apc.enabled?" 
Error: APC must be enabled to use APCUIterator
true 1 "1" "0" 
