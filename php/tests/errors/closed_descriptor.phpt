--TEST--
larder: errors: a program that closes all descriptors before it uses a store is told so, once
--EXTENSIONS--
larder
ffi
--INI--
log_errors=1
error_log=
--FILE--
<?php
use Larder\VolatileCache as V;
/* Close the descriptors of the stores. A daemon that closes all inherited descriptors does this, too. */
$libc = FFI::cdef('int close(int);');
foreach (scandir('/proc/self/fd') as $number) {
    if (str_starts_with((string) @readlink("/proc/self/fd/$number"), '/memfd:larder')) {
        $libc->close((int) $number);
    }
}
for ($i = 0; $i < 2; $i++) {
    var_dump(V::set('k', 1));
    echo preg_replace('/\d+/', 'N', V::info()->failure_reason), "\n";
    usleep($i === 0 ? 2200000 : 0); /* Larder tries every two seconds to open the store again */
}
?>
--EXPECTF--
Larder: the volatile store is off: descriptor %d was closed
bool(false)
descriptor N was closed
bool(false)
descriptor N was closed
