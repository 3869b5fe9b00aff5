--TEST--
larder: ops: the table of docs/sizing.md has the bytes that bench/php/sizes.php prints
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION !== '8.2' || PHP_VERSION_ID < 80233 || PHP_ZTS || PHP_DEBUG || php_uname('m') !== 'x86_64') die('skip the table is of PHP 8.2 on x86-64');
if (!is_file(ini_get('extension_dir') . '/igbinary.so')) die('skip needs igbinary');
if (!is_file(dirname(realpath(__DIR__ . '/../../../ops')) . '/docs/sizing.md')) die('skip needs the documents');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$top = dirname(realpath(__DIR__ . '/../../../ops'));
$rows = ops_php('-d extension=' . ini_get('extension_dir') . '/igbinary.so', "require '$top/bench/php/sizes.php';");
echo substr_count($rows, "\n"), " rows\n";
foreach (array_diff(explode("\n", $rows), file("$top/docs/sizing.md", FILE_IGNORE_NEW_LINES), ['']) as $row) {
    echo "not in the table: $row\n";
}
?>
--EXPECT--
14 rows
