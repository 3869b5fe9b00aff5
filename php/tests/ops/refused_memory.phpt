--TEST--
larder: ops: where the address space is limited, or memfd_create() is denied, the message says what helps
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('SKIP_ASAN') || getenv('LD_PRELOAD')) die('skip sanitizers need more address space');
if (trim(shell_exec('ulimit -v 200000; echo ok') ?? '') !== 'ok') die('skip needs ulimit -v');
if (!glob(ini_get('extension_dir') . '/ffi.so') || !in_array(php_uname('m'), ['x86_64', 'aarch64'])) die('skip needs ext/ffi, for seccomp');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
echo ops_php('-d error_log= -d larder.volatile_size=1G', 'var_dump(V::set("k", 1), P::set("k", 1));', 'ulimit -v 500000;');

/* memfd_create() is denied, as some containers do. */
$number = php_uname('m') === 'x86_64' ? 319 : 279;
$deny = ops_folder() . '/deny.php';
file_put_contents($deny, '<?php
$c = FFI::cdef("struct f { unsigned short code; unsigned char jt, jf; unsigned k; }; struct p { unsigned short len; struct f *filter; };
    int prctl(int option, unsigned long value, struct p *program, long, long);");
$f = $c->new("struct f[4]");
foreach ([[0x20, 0, 0, 0], [0x15, 0, 1, ' . $number . '], [6, 0, 0, 0x00050001], [6, 0, 0, 0x7fff0000]] as $i => [$code, $jt, $jf, $k]) {
    [$f[$i]->code, $f[$i]->jt, $f[$i]->jf, $f[$i]->k] = [$code, $jt, $jf, $k];
}
$p = $c->new("struct p");
$p->len = 4;
$p->filter = $c->cast("struct f *", FFI::addr($f));
$c->prctl(38, 1, null, 0, 0) === 0 && $c->prctl(22, 2, FFI::addr($p), 0, 0) === 0 || die("no seccomp");
pcntl_exec("/bin/sh", ["-c", $argv[1]]);
');
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$wrap = fn (string $command) => "$php -n -d extension_dir=" . ini_get('extension_dir') . " -d extension=ffi -d ffi.enable=1 $deny " . escapeshellarg($command);
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
echo shell_exec($wrap("$php -n -d extension=$m[1] -r 'var_dump(Larder\\VolatileCache::set(\"k\", 1));' 2>&1"));
$folder = ops_folder();
echo shell_exec($wrap("$php -n -d extension=$m[1] -d larder.path=$folder -r 'var_dump(Larder\\VolatileCache::set(\"k\", 1));' 2>&1"));
--EXPECTF--
Larder: the volatile store is off: LRD_%s; this process may have 488 MiB of address space (ulimit -v), and larder.volatile_size = 1024 MiB: raise the one or lower the other
bool(false)
bool(true)

Warning: Larder: the volatile store is off: memfd_create: Operation not permitted; set larder.scope, which uses a file in Unknown on line 0

Warning: Larder: the pinned store is off: memfd_create: Operation not permitted; set larder.scope, which uses a file in Unknown on line 0

Warning: Larder: the session store is off: memfd_create: Operation not permitted; set larder.scope, which uses a file in Unknown on line 0

Warning: Larder: the queue store is off: memfd_create: Operation not permitted; set larder.scope, which uses a file in Unknown on line 0
bool(false)
bool(true)
