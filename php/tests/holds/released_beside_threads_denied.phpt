--TEST--
larder: values are released beside other threads where process_vm_readv() is denied, as in some containers
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/ops.php';
if (getenv('SKIP_ASAN') || getenv('LD_PRELOAD')) die('skip sanitizers');
if (!ops_denies()) die('skip needs ext/ffi, for seccomp');
if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
$settings = ['extension_dir=' . ini_get('extension_dir'), 'extension=ffi', 'ffi.enable=1', "extension=$m[1]", 'larder.volatile_size=16M'];
$command = escapeshellarg(PHP_BINARY) . ' -n ' . implode(' ', array_map(fn($s) => '-d ' . escapeshellarg($s), $settings)) . ' ' . escapeshellarg(__DIR__ . '/beside_threads.inc');
echo ops_deny('process_vm_readv', "$command 2>&1"), "\n";
?>
--EXPECT--
4 threads, held
