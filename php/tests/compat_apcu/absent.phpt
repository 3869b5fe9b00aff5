--TEST--
larder: compat_apcu: without larder.compat nothing of it is there
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (extension_loaded('apcu')) die('skip the real apcu is loaded');
?>
--FILE--
<?php
var_dump(extension_loaded('apcu'), function_exists('apcu_fetch'), class_exists('APCUIterator'), defined('APC_ITER_ALL'), ini_get('apc.enabled'));
ob_start(); phpinfo(INFO_MODULES); var_dump(str_contains(ob_get_clean(), 'apcu'));
--EXPECT--
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
