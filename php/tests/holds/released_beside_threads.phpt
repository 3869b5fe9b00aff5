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
file_put_contents(__DIR__ . '/beside_threads_run.php', '<?php require ' . var_export(__DIR__ . '/churn.inc', true) . ';' . <<<'CODE'
use Larder\VolatileCache;
$c = FFI::cdef('int pthread_create(unsigned long *, void *, void *, void *); void *dlsym(void *, const char *);');
for ($i = 0; $i < 3; $i++) {
    $id = $c->new('unsigned long');
    $c->pthread_create(FFI::addr($id), null, $c->dlsym(null, 'pause'), null);
}
echo count(scandir('/proc/self/task')) - 2, ' threads, ';
$kept = $last = [];
for ($i = 0; $i < 20000; $i++) {
    $key = 'k' . $i % 2000;
    VolatileCache::set($key, value($key));
    $last[$i % 10] = VolatileCache::get($key);
    if ($i % 1000 === 0) $kept[$key] = $last[$i % 10];
}
foreach ($kept as $key => $value) same($key, $value, value($key));
foreach ($last as $value) same('last', $value, value($value['name']));
$copies = VolatileCache::info()->copies;
echo $copies < 400 ? 'held' : ($copies > 10000 ? 'copied' : $copies);
CODE);
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
foreach ([1, 0] as $collect) {
    $settings = ['extension_dir=' . ini_get('extension_dir'), 'extension=ffi', 'ffi.enable=1', "extension=$m[1]", 'larder.volatile_size=16M', "larder.collect=$collect"];
    echo shell_exec(escapeshellarg(PHP_BINARY) . ' -n ' . implode(' ', array_map(fn($s) => '-d ' . escapeshellarg($s), $settings)) . ' ' . escapeshellarg(__DIR__ . '/beside_threads_run.php') . ' 2>/dev/null'), "\n";
}
?>
--CLEAN--
<?php unlink(__DIR__ . '/beside_threads_run.php');
--EXPECT--
4 threads, held
4 threads, copied
