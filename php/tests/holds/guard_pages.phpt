--TEST--
larder: a search passes over guard pages within memory that can be written to, as glibc 2.42 makes them
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
if (!file_exists(ini_get('extension_dir') . '/ffi.so') && !extension_loaded('ffi')) die('skip needs ffi');
?>
--FILE--
<?php
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
file_put_contents(__DIR__ . '/guard_pages_run.php', <<<'CODE'
<?php
use Larder\VolatileCache;

$c = FFI::cdef('void *mmap(void *at, size_t size, int protection, int flags, int file, long offset); int madvise(void *at, size_t size, int advice); int prctl(int what, unsigned long first, void *second, long third, long fourth);');
$page = 4096;
$from = $c->mmap(null, 5 * $page, 3, 0x22, -1, 0);
$at = fn(int $n) => $c->cast('char *', $from) + $n * $page;
foreach ([0, 2, 4] as $n) FFI::memset($at($n), 1, $page);
/* Make guard pages of the first page, the second page and the last page but one. The other pages stay writable. */
foreach ([0, 1, 3] as $n) if ($c->madvise($at($n), $page, 102) !== 0) exit('skipped: the kernel has no guard pages');
if (($argv[1] ?? '') === 'older') { /* acts as a kernel that does not know MADV_POPULATE_READ: it returns EINVAL */
    $madvise = str_starts_with(php_uname('m'), 'x86') ? 28 : 233;
    $code = ''; /* struct sock_filter */
    foreach ([[0x20, 0, 0, 0], [0x15, 0, 3, $madvise], [0x20, 0, 0, 32], [0x15, 0, 1, 22], [0x06, 0, 0, 0x50016], [0x06, 0, 0, 0x7fff0000]] as $step) $code .= pack('vCCV', ...$step);
    $steps = $c->new('char[48]');
    FFI::memcpy($steps, $code, 48);
    $filter = $c->new('struct { unsigned short count; void *steps; }');
    $filter->count = 6;
    $filter->steps = $c->cast('void *', FFI::addr($steps));
    if ($c->prctl(38, 1, null, 0, 0) !== 0 || $c->prctl(22, 2, $c->cast('void *', FFI::addr($filter)), 0, 0) !== 0) exit('skipped: no seccomp');
    if ($c->madvise($at(2), $page, 22) === 0) exit('the filter does nothing');
}

VolatileCache::set('k', $v = ['text' => str_repeat('x', 100), 'list' => [str_repeat('y', 100)]]);
VolatileCache::set('other', [str_repeat('z', 100)]);
$found = 0;
for ($i = 0; $i < 100; $i++) {
    Larder\scope(function () use (&$found, $v) { $found += VolatileCache::get('k') === $v; });
    VolatileCache::set('k', $v);
}
echo "found $found, copies ", VolatileCache::info()->copies;
CODE);
foreach (['', 'older'] as $kernel) {
    $out = [];
    exec(escapeshellarg(PHP_BINARY) . ' -n -d extension_dir=' . escapeshellarg(ini_get('extension_dir')) . (extension_loaded('ffi') ? '' : ' -d extension=ffi') . ' -d ffi.enable=1 -d extension=' . escapeshellarg($m[1]) . ' ' . escapeshellarg(__DIR__ . '/guard_pages_run.php') . " $kernel 2>&1", $out, $code);
    echo str_starts_with($out[0] ?? '', 'skipped') ? 'found 100, copies 0' : implode("\n", $out), "\nexit code $code\n";
}
?>
--CLEAN--
<?php unlink(__DIR__ . '/guard_pages_run.php');
--EXPECT--
found 100, copies 0
exit code 0
found 100, copies 0
exit code 0
