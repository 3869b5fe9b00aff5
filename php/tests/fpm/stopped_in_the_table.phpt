--TEST--
larder: fpm: a worker that is stopped while it has the lock of the table of pools keeps no later worker of a known pool without stores
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip();
if (!getenv('CC') && trim((string) shell_exec('command -v gcc')) === '') die('skip needs gcc');
if (getenv('LD_PRELOAD')) die('skip sanitizers replace the calls');
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/fastcgi.php';

/* Preload a library with its own pthread_mutex_trylock(). If the file "stop" exists, this function removes it, and stops the worker that
 * has just locked a robust mutex: the lock of the table. The library's dlopen() removes the flag RTLD_DEEPBIND, with which the extension
 * would call the C library's pthread_mutex_trylock(). */
$folder = sys_get_temp_dir() . '/larder-stopped-' . getmypid();
mkdir($folder);
chmod($folder, 0777);
file_put_contents("$folder/stop.c", <<<'C'
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <pthread.h>
    #include <signal.h>
    #include <unistd.h>

    #ifdef __GLIBC__
    #define ROBUST(mutex) (((mutex)->__data.__kind & 144) == 144) /* true if the mutex is robust, and shared by processes */
    #else
    #define RTLD_DEEPBIND 0
    #define ROBUST(mutex) ((*(int *)(mutex) & 132) == 132)
    #endif

    void *dlopen(const char *name, int flags)
    {
        void *(*real)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
        return real(name, flags & ~RTLD_DEEPBIND);
    }

    int pthread_mutex_trylock(pthread_mutex_t *mutex)
    {
        int (*real)(pthread_mutex_t *) = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
        int result = real(mutex);
        if (result == 0 && ROBUST(mutex) && unlink(STOP) == 0)
            raise(SIGSTOP);
        return result;
    }
    C);
exec((getenv('CC') ?: 'gcc') . " -shared -fPIC -w -DSTOP='\"$folder/stop\"' -o $folder/stop.so $folder/stop.c -ldl 2>&1", $output, $failed);
$failed === 0 || die(implode("\n", $output));
putenv("LD_PRELOAD=$folder/stop.so");
$one = ['pm.max_children' => 2, 'pm.max_requests' => 1]; /* a worker serves one request, and then ends */
$fpm = fpm(['p' => $one, 'q' => $one]);
putenv('LD_PRELOAD');
$script = $fpm->script('V::add("k", 1); echo json_encode([V::get("k"), V::info()->failure_reason]);');
$stopped = fn () => array_filter($fpm->workers('q'), fn ($pid) => preg_match('/\) T/', (string) @file_get_contents("/proc/$pid/stat")));
echo fastcgi($fpm->socket('p'), $script), "\n";
touch("$folder/stop");
chmod("$folder/stop", 0666);
$client = pcntl_fork();
if ($client === 0) { /* the child's request makes the first worker of q enter the pool into the table */
    file_put_contents("$folder/answer", fastcgi($fpm->socket('q'), $script));
    posix_kill(getmypid(), SIGKILL);
}
fpm_wait(fn () => $stopped() !== []);
echo count($stopped()), " worker of q is stopped\n"; /* if this number is 0, the library has not stopped the worker, and the test shows nothing */
for ($i = 0; $i < 3; $i++) {
    echo fastcgi($fpm->socket('p'), $script), "\n";
}
echo count($stopped()), " worker of q is stopped\n";
foreach ($stopped() as $pid) {
    posix_kill($pid, SIGCONT);
}
pcntl_waitpid($client, $status);
echo file_get_contents("$folder/answer"), "\n";
array_map('unlink', glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
[1,null]
1 worker of q is stopped
[1,null]
[1,null]
[1,null]
1 worker of q is stopped
[1,null]
