--TEST--
larder: fpm: workers that wait for the table of pools use a clock that cannot step
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

/* This test builds a library. Its clock_gettime() returns a time that is an hour too early, as if the clock stepped an hour ahead after
 * each read. Its pthread_mutex_unlock() makes a worker keep the table's lock (its first robust mutex) for half a second. Its dlopen() omits
 * RTLD_DEEPBIND, so that these functions also replace the calls of the extension. */
$folder = sys_get_temp_dir() . '/larder-clock-' . getmypid();
mkdir($folder);
chmod($folder, 0755);
file_put_contents("$folder/clock.c", <<<'C'
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <pthread.h>
    #include <time.h>
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

    int clock_gettime(clockid_t clock, struct timespec *time)
    {
        int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
        int result = real(clock, time);
        time->tv_sec -= clock == CLOCK_REALTIME ? 3600 : 0;
        return result;
    }

    int pthread_mutex_unlock(pthread_mutex_t *mutex)
    {
        static int (*real)(pthread_mutex_t *), done;
        if (real == NULL)
            real = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
        if (ROBUST(mutex) && !done++)
            usleep(500000);
        return real(mutex);
    }
    C);
exec((getenv('CC') ?: 'gcc') . " -shared -fPIC -w -o $folder/clock.so $folder/clock.c -ldl 2>&1", $output, $failed);
$failed === 0 || die(implode("\n", $output));
/* Only the first worker of a pool takes the table's lock, so send a request to each of two pools. */
putenv("LD_PRELOAD=$folder/clock.so");
$fpm = fpm(['p' => [], 'q' => []]);
putenv('LD_PRELOAD');
$script = $fpm->script('V::add("k", 1); echo V::get("k");');
$start = hrtime(true);
foreach (['p', 'q'] as $pool) {
    if (($clients[] = pcntl_fork()) === 0) {
        file_put_contents("$folder/answer$pool", fastcgi($fpm->socket($pool), $script));
        posix_kill(getmypid(), SIGKILL);
    }
}
foreach ($clients as $pid) {
    pcntl_waitpid($pid, $status);
}
echo file_get_contents("$folder/answerp"), file_get_contents("$folder/answerq"), "\n", $fpm->said('p'), $fpm->said('q'), "\n";
echo hrtime(true) - $start > 900e6 ? "one after the other\n" : "at once\n";
exec("rm -rf $folder");
?>
--EXPECT--
11

one after the other
