--TEST--
larder: ops: where the address space is limited, or memfd_create() is denied, the message says what helps
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('SKIP_ASAN') || getenv('LD_PRELOAD')) die('skip sanitizers need more address space');
if (trim(shell_exec('ulimit -v 200000; echo ok') ?? '') !== 'ok') die('skip needs ulimit -v');
require __DIR__ . '/../include/ops.php';
if (!ops_denies()) die('skip needs ext/ffi, for seccomp');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
echo ops_php('-d error_log= -d larder.volatile_size=1G', 'var_dump(V::set("k", 1), P::set("k", 1));', 'ulimit -v 500000;');

/* memfd_create() fails, as it does in some containers. */
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
echo ops_deny('memfd_create', "$php -n -d extension=$m[1] -r 'var_dump(Larder\\VolatileCache::set(\"k\", 1));' 2>&1");
$folder = ops_folder();
echo ops_deny('memfd_create', "$php -n -d extension=$m[1] -d larder.path=$folder -r 'var_dump(Larder\\VolatileCache::set(\"k\", 1));' 2>&1");
--EXPECTF--
Larder: the volatile store is off: LRD_EADDR: the segment's address range is not available in this process: anonymous segment: mmap: Cannot allocate memory; the store needs %d MiB of address space, this process may have 488 MiB in all (ulimit -v); raise ulimit -v or lower larder.volatile_size (now 1024 MiB)
bool(false)
bool(true)

Warning: Larder: the volatile store is off: memfd_create: Operation not permitted; set larder.scope, which uses a file in Unknown on line 0

Warning: Larder: the pinned store is off: memfd_create: Operation not permitted; set larder.scope, which uses a file in Unknown on line 0

Warning: Larder: the session store is off: memfd_create: Operation not permitted; set larder.scope, which uses a file in Unknown on line 0

Warning: Larder: the queue store is off: memfd_create: Operation not permitted; set larder.scope, which uses a file in Unknown on line 0
bool(false)
bool(true)
