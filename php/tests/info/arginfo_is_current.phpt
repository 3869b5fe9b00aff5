--TEST--
larder: info: larder_arginfo.h is what the stub makes
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (intdiv(PHP_VERSION_ID, 100) !== 802) die('skip they are made with PHP 8.2');
if (!is_file('/usr/share/php/PhpParser/ParserFactory.php')) die('skip needs php-parser');
if (!is_file(ini_get('extension_dir') . '/build/gen_stub.php')) die('skip needs gen_stub.php');
if (!is_file(ini_get('extension_dir') . '/tokenizer.so')) die('skip needs tokenizer.so');
?>
--FILE--
<?php
$out = []; exec(escapeshellarg(dirname(__DIR__, 2) . '/make-arginfo.sh') . ' --check 2>&1', $out, $status);
echo $status === 0 ? "same\n" : implode("\n", $out) . "\n";
--EXPECT--
same
