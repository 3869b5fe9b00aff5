--TEST--
larder: ops: where the real APCu is loaded, the warning says how to switch it off
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!glob(ini_get('extension_dir') . '/apcu.so')) die('skip needs apcu.so'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
echo ops_php('-d extension=' . ini_get('extension_dir') . '/apcu.so -d larder.compat=apcu', '');
--EXPECT--
Warning: larder.compat: apcu is loaded, so Larder does not stand in for it; switch it off (Debian: phpdismod apcu) in Unknown on line 0
