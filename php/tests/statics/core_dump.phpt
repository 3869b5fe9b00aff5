--TEST--
larder: statics: a process whose statics are watched leaves a core dump when it dies of a fault, as any other does
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php
require __DIR__ . '/../include/statics.php';
statics_skip();
if (getenv('USE_ZEND_ALLOC') === '0') die('skip valgrind and sanitizers have handlers of their own');
if (!str_starts_with(file_get_contents('/proc/sys/kernel/core_pattern'), 'core')) die('skip core dumps go elsewhere');
?>
--FILE--
<?php
$folder = sys_get_temp_dir() . '/larder-core-' . getmypid();
mkdir($folder);
file_put_contents("$folder/foo.php", '<?php class Foo { #[Larder\PinnedStatic] public static array $a = [1]; } function touched() {}');
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
$module = $m[1];
$posix = ini_get('extension_dir') . '/posix.so';
$settings = ['-n', '-d', "extension=$module", '-d', 'larder.statics=1', ...(is_file($posix) ? ['-d', "extension=$posix"] : [])];
$watched = "require '$folder/foo.php'; Foo::\$a[] = 2; touched(); Foo::\$a[] = 3; touched();";
foreach ([
    'sent, nothing watched' => 'posix_kill(getmypid(), 11);',
    'sent' => "$watched posix_kill(getmypid(), 11);",
    'no stack' => "$watched for (\$i = 0, \$x = []; \$i < 200000; \$i++) \$x = [\$x]; serialize(\$x);",
] as $how => $code) {
    $child = pcntl_fork();
    if ($child === 0) {
        posix_setrlimit(POSIX_RLIMIT_CORE, 1 << 30, 1 << 30);
        posix_setrlimit(POSIX_RLIMIT_STACK, 1 << 23, 1 << 23);
        $program = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY; // with threads, chdir() does not change the folder of the process
        pcntl_exec('/bin/sh', ['-c', 'cd "$0" && exec "$@"', $folder, $program, ...$settings, '-d', 'display_errors=0', '-d', 'zend.max_allowed_stack_size=-1', '-r', $code]);
        exit(1);
    }
    pcntl_waitpid($child, $status);
    $cores = glob("$folder/core*");
    echo "$how: signal ", pcntl_wifsignaled($status) ? pcntl_wtermsig($status) : 'none', $status & 0x80 ? ', dumped' : '',
        count($cores) === 1 && str_starts_with(file_get_contents($cores[0], length: 4), "\x7fELF") ? ' a core' : '', "\n";
    array_map('unlink', $cores);
}
unlink("$folder/foo.php");
rmdir($folder);
?>
--EXPECT--
sent, nothing watched: signal 11, dumped a core
sent: signal 11, dumped a core
no stack: signal 11, dumped a core
