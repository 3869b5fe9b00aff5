--TEST--
larder: lifetime: dl() is refused
--EXTENSIONS--
larder
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
/* When dl() cannot start a module, PHP 8.2 later reads freed memory. USE_ZEND_ALLOC=1 keeps the content of this memory. */
exec("USE_ZEND_ALLOC=1 $php -n -d enable_dl=1 -d fatal_error_backtraces=0 -d extension_dir=" . dirname($so) . " -r 'var_dump(dl(\"larder.so\"), class_exists(\"Larder\\\\VolatileCache\"));' 2>&1", $out);
echo implode("\n", array_filter($out)), "\n";
--EXPECT--
Warning: dl(): larder cannot be loaded by dl(), only by php.ini in Command line code on line 1
Fatal error: Unable to start larder module in Unknown on line 0
