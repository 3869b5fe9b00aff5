<?php
/* Shared by tests in which much time passes: runs code in a PHP that can set forward its clocks, and those of its children. */
require_once __DIR__ . '/ops.php';

/* For SKIPIF: ends the test if there is no compiler. */
function clock_skip(): void
{
    if (!getenv('CC') && trim((string) shell_exec('command -v gcc')) === '') {
        die('skip needs gcc');
    }
}

/* Runs code, and returns its output. The code may call pass($seconds), which sets forward the clocks that count from the start of the
 * machine. pass() does not change the time of day, and does not make sleeps shorter. */
function clock_php(string $settings, string $code): string
{
    $folder = ops_folder();
    file_put_contents("$folder/clock.c", <<<'C'
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <fcntl.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <time.h>

        #ifndef __GLIBC__
        #define RTLD_DEEPBIND 0
        #endif

        static volatile long *passed; /* seconds, in a file that all processes map */

        __attribute__((constructor)) static void map(void)
        {
            int fd = open(getenv("LARDER_TEST_CLOCK"), O_RDWR);
            passed = mmap(NULL, sizeof *passed, PROT_READ, MAP_SHARED, fd, 0);
            if (passed == MAP_FAILED)
                abort();
        }

        /* omits RTLD_DEEPBIND, so that clock_gettime() below replaces the extension's, too */
        void *dlopen(const char *name, int flags)
        {
            void *(*real)(const char *, int) = dlsym(RTLD_NEXT, "dlopen");
            return real(name, flags & ~RTLD_DEEPBIND);
        }

        int clock_gettime(clockid_t clock, struct timespec *time)
        {
            int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, "clock_gettime");
            int result = real(clock, time);
            if (passed != NULL && (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME))
                time->tv_sec += *passed;
            return result;
        }
        C);
    exec((getenv('CC') ?: 'gcc') . " -shared -fPIC -w -o $folder/clock.so $folder/clock.c -ldl 2>&1", $output, $failed);
    $failed === 0 || die(implode("\n", $output));
    file_put_contents("$folder/passed", pack('q', 0));
    $pass = "function pass(int \$seconds): void { \$file = fopen('$folder/passed', 'r+'); \$before = unpack('q', fread(\$file, 8))[1]; fseek(\$file, 0); fwrite(\$file, pack('q', \$before + \$seconds)); }";
    $preload = trim(getenv('LD_PRELOAD') . " $folder/clock.so");
    return ops_php($settings, "$pass $code", "env LARDER_TEST_CLOCK=$folder/passed LD_PRELOAD='$preload'");
}
