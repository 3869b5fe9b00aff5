--TEST--
larder: compat_apcu: apc.shm_size takes suffixes, small numbers are megabytes, and the rest is reported
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
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
foreach (['32M', '64', '3145728', '1K', '2G', 'lots', '-5', '0', '12Q'] as $size) {
    $command = [PHP_BINARY, '-n', '-d', "extension=$m[1]", '-d', 'larder.compat=apcu', '-d', "apc.shm_size=$size", '-d', 'html_errors=0', '-r', 'echo apcu_sma_info(true)["seg_size"] / (1 << 20), "M\n";'];
    echo "$size: ", trim((string) shell_exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1')), "\n";
}
foreach (['1024G', '1025G', '99999G'] as $size) { // the machine need not have that much memory
    $command = [PHP_BINARY, '-n', '-d', "extension=$m[1]", '-d', 'larder.compat=apcu', '-d', "apc.shm_size=$size", '-d', 'html_errors=0', '-r', ''];
    echo "$size: ", trim((string) shell_exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1')), "\n";
}
--EXPECT--
32M: 32M
64: 64M
3145728: 3M
1K: Warning: apc.shm_size = "1K": too small for the structures of a store; 1M is used in Unknown on line 0
1M
2G: 2048M
lots: Warning: apc.shm_size = "lots": must be a size such as 32M, which is used in Unknown on line 0
32M
-5: Warning: apc.shm_size = "-5": must be a size such as 32M, which is used in Unknown on line 0
32M
0: Warning: apc.shm_size = "0": must be a size such as 32M, which is used in Unknown on line 0
32M
12Q: Warning: apc.shm_size = "12Q": must be a size such as 32M, which is used in Unknown on line 0
32M
1024G: 
1025G: Warning: apc.shm_size = "1025G": more than a store can have; 1024G is used in Unknown on line 0
99999G: Warning: apc.shm_size = "99999G": more than a store can have; 1024G is used in Unknown on line 0
