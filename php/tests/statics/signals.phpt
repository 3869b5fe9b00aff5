--TEST--
larder: statics: faults that are not ours reach earlier and later handlers, and end the process as they would
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php
require __DIR__ . '/../include/statics.php';
statics_skip();
if (getenv('VALGRIND_OPTS')) die('skip valgrind has a handler of its own');
if (!getenv('CC') && trim((string) shell_exec('command -v gcc')) === '') die('skip needs gcc');
?>
--ENV--
ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:handle_segv=0
--FILE--
<?php
/* Make a library that is loaded before PHP's main(). At its start, it installs a handler of SIGSEGV. It installs another handler when the
 * script calls getservbyport(). */
$folder = sys_get_temp_dir() . '/larder-signals-' . getmypid();
mkdir($folder);
file_put_contents("$folder/other.c", <<<'C'
    #define _GNU_SOURCE
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    #include <stdint.h>
    static struct sigaction before;
    static void say(const char *text) { if (write(1, text, strlen(text)) < 0) _exit(9); }
    static void early(int number, siginfo_t *info, void *context)
    {
        say(info->si_addr == (void *)16 ? "early: at 16\n" : info->si_code <= 0 ? "early: sent\n" : "early: elsewhere\n");
        _exit(3);
    }
    static void late(int number, siginfo_t *info, void *context)
    {
        if (info->si_addr == (void *)16 || info->si_code <= 0) say("late\n");
        if (before.sa_flags & SA_SIGINFO) before.sa_sigaction(number, info, context);
        else _exit(4);
    }
    static void install(void (*handler)(int, siginfo_t *, void *), struct sigaction *old)
    {
        struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
        action.sa_sigaction = handler;
        sigaction(SIGSEGV, &action, old);
    }
    __attribute__((constructor)) static void start(void)
    {
        static char stack[65536];
        stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
        if (getenv("OTHER_EARLY")) { sigaltstack(&alternate, NULL); install(early, NULL); }
    }
    /* Replaces the C library's function. PHP's getservbyport() calls it, and `protocol` chooses what it does. */
    struct servent *getservbyport(int port, const char *protocol)
    {
        if (strcmp(protocol, "late") == 0) install(late, &before);
        if (strcmp(protocol, "fault") == 0) *(volatile int *)16 = 1;
        if (strcmp(protocol, "send") == 0) kill(getpid(), SIGSEGV);
        return NULL;
    }
    C);
exec((getenv('CC') ?: 'gcc') . " -shared -fPIC -w -o $folder/other.so $folder/other.c -ldl 2>&1", $output, $failed);
if ($failed) echo implode("\n", $output), "\n";
file_put_contents("$folder/program.php", <<<'CODE'
    <?php
    function touched() {}
    $tell = fn ($what) => @getservbyport(1, $what);
    $do = explode(',', $argv[1]);
    if (in_array('first', $do)) $tell('late');
    eval('class Foo { #[Larder\VolatileStatic] public static $v = 0; }');
    Foo::$v = 1; touched(); Foo::$v++; touched();
    if (in_array('late', $do)) $tell('late');
    Foo::$v++; touched(); Foo::$v++; touched();
    eval('class Bar { #[Larder\VolatileStatic] public static $v = 0; }');
    Bar::$v = 5; touched(); Bar::$v++; touched();
    echo Foo::$v, Bar::$v, json_encode([Larder\VolatileCache::keyInfo('v', 'Foo') !== null, Larder\VolatileCache::getCacheStoreType('v', 'Bar')->name]), "\n";
    if (in_array('fault', $do)) $tell('fault');
    if (in_array('send', $do)) $tell('send');
    echo "the end\n";
    CODE);
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $module = $m[1];
foreach (['', 'fault', 'send'] as $what) {
    foreach ([['', ''], ['early', ''], ['', 'late'], ['early', 'late'], ['early', 'first'], ['early', 'first,late']] as [$early, $late]) {
        $environment = ['LD_PRELOAD' => trim(getenv('LD_PRELOAD') . " $folder/other.so")] + ($early ? ['OTHER_EARLY' => '1'] : []) + getenv();
        $process = proc_open([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$module", '-d', 'larder.statics=1', '-d', 'larder.statics_interval=0', "$folder/program.php", "$what,$late"], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes, $folder, $environment);
        $said = stream_get_contents($pipes[1]);
        do { $status = proc_get_status($process); } while ($status['running'] && usleep(1000) === null);
        echo str_pad("$what $early $late:", 30), str_replace("\n", ' | ', trim($said)), $status['signaled'] ? " (signal {$status['termsig']})" : " ({$status['exitcode']})", "\n";
    }
}
array_map('unlink', glob("$folder/*"));
rmdir($folder);
?>
--EXPECT--
:                           46[true,"Scalar"] | the end (0)
 early :                      46[true,"Scalar"] | the end (0)
  late:                       46[true,"Scalar"] | the end (0)
 early late:                  46[true,"Scalar"] | the end (0)
 early first:                 46[true,"Scalar"] | the end (0)
 early first,late:            46[true,"Scalar"] | the end (0)
fault  :                      46[true,"Scalar"] (signal 11)
fault early :                 46[true,"Scalar"] | early: at 16 (3)
fault  late:                  46[true,"Scalar"] | late (signal 11)
fault early late:             46[true,"Scalar"] | late | early: at 16 (3)
fault early first:            46[true,"Scalar"] | late | early: at 16 (3)
fault early first,late:       46[true,"Scalar"] | late | late (signal 11)
send  :                       46[true,"Scalar"] (signal 11)
send early :                  46[true,"Scalar"] | early: sent (3)
send  late:                   46[true,"Scalar"] | late (signal 11)
send early late:              46[true,"Scalar"] | late | early: sent (3)
send early first:             46[true,"Scalar"] | late | early: sent (3)
send early first,late:        46[true,"Scalar"] | late | late (signal 11)
