--TEST--
larder: a request that does not end, in a process with further threads: gets do not copy, and larder.collect=0 ends no hold
--EXTENSIONS--
larder
ffi
--SKIPIF--
<?php if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory'); ?>
--INI--
larder.volatile_size=16M
ffi.enable=1
--FILE--
<?php
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
foreach ([1, 0] as $collect) {
    $settings = ['extension_dir=' . ini_get('extension_dir'), 'extension=ffi', 'ffi.enable=1', "extension=$m[1]", 'larder.volatile_size=16M', "larder.collect=$collect"];
    echo shell_exec(escapeshellarg(PHP_BINARY) . ' -n ' . implode(' ', array_map(fn($s) => '-d ' . escapeshellarg($s), $settings)) . ' ' . escapeshellarg(__DIR__ . '/beside_threads.inc') . ' 2>/dev/null'), "\n";
}
?>
--EXPECT--
4 threads, held
4 threads, copied
