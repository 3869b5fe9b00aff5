--TEST--
larder: lifetime: a server's first small blocks lie beside each other, and not in gaps of PHP's start; blocks outside of the heap are not taken
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!is_file(ini_get('extension_dir') . '/ffi.so')) die('skip needs FFI');
if (getenv('SKIP_ASAN') || getenv('LD_PRELOAD')) die('skip sanitizers replace malloc()');
if (preg_match('~/ld-musl~', file_get_contents('/proc/self/maps'))) die('skip only glibc has gaps');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
$settings = 'extension=' . ini_get('extension_dir') . '/ffi.so -d ffi.enable=1';
/* Prints how many pages of 4 KiB contain new blocks of 24 to 504 bytes, 33 KB in all. A server fills the gaps of its heap at its start; a
 * command does not. */
$pages = <<<'PHP'
    $c = FFI::cdef('uintptr_t malloc(size_t);');
    for ($round = 0; $round < 4; $round++) for ($size = 24; $size < 512; $size += 16) $pages[$c->malloc($size) >> 12] = 1;
    echo count($pages);
    PHP;
[$command, $server] = [(int) ops_php("-d $settings", $pages), (int) server($pages, 0, $settings)()];
/* With glibc 2.43, the start of PHP leaves few gaps: a command takes 13 pages, and a server 11. So up to 13 pages always count as few. */
echo $server < max(0.75 * $command, 14) ? 'few' : "$server, not fewer than $command,", " pages\n";

/* Prints the bytes of all blocks. With the threshold set below, most blocks of at least 64 bytes are mapped one by one. So the blocks of
 * PHP classes lie outside of the heap. */
$bytes = <<<'PHP'
    $c = FFI::cdef('typedef struct { size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; } info; info mallinfo2(void);');
    $info = $c->mallinfo2();
    echo $info->uordblks + $info->hblkhd;
    PHP;
putenv('MALLOC_MMAP_THRESHOLD_=64');
putenv('MALLOC_TOP_PAD_=0');
[$command, $server] = [(int) ops_php("-d $settings", $bytes), (int) server($bytes, 0, $settings)()];
echo $command > 0 && $server - $command < 1500000 ? 'nothing' : "$server - $command bytes", " taken\n";
?>
--EXPECT--
few pages
nothing taken
