--TEST--
larder: compat_apcu: larder.enable_cli=0 switches it off, too, and shows in apc.enable_cli
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
larder.enable_cli=0
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

show(apcu_enabled(), ini_get('apc.enabled'), ini_get('apc.enable_cli'), apcu_store('k', 1), @apcu_cache_info(), error_get_last()['message']);
--EXPECT--
false "1" "0" false false "apcu_cache_info(): No APC info available.  Perhaps APC is not enabled? Check apc.enabled in your ini file" 
