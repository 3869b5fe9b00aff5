<?php
/* Shared by the tests for operators: runs separate PHP processes with this module, and makes folders that are removed after the test. */

function ops_php(string $settings, string $code, string $before = ''): string
{
    foreach (file('/proc/self/maps') as $line) {
        if (preg_match('~ (/\S+/larder\.so)$~', trim($line), $m)) {
            $module = $m[1];
        }
    }
    $php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
    $code = "use Larder\\VolatileCache as V; use Larder\\PinnedCache as P; $code";
    exec("$before $php -n -d extension=$module $settings -r " . escapeshellarg($code) . ' 2>&1', $lines);
    return implode("\n", array_filter($lines, 'strlen')) . "\n";
}

/* Returns a folder that is removed after the test. */
function ops_folder(int $mode = 0700): string
{
    $folder = sys_get_temp_dir() . '/larder-ops-' . getmypid() . '-' . mt_rand();
    mkdir($folder);
    chmod($folder, $mode);
    $owner = getmypid();
    register_shutdown_function(function () use ($folder, $owner) {
        if (getmypid() === $owner) {
            exec('rm -rf ' . escapeshellarg($folder));
        }
    });
    return $folder;
}

/* Runs a function as another user, and returns its output. Needs root. */
function ops_as(string $user, callable $do): string
{
    $pipe = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($child = pcntl_fork()) === 0) {
        $who = posix_getpwnam($user);
        posix_setgid($who['gid']);
        posix_setuid($who['uid']);
        ob_start();
        $do();
        fwrite($pipe[1], ob_get_clean());
        posix_kill(getmypid(), SIGKILL);
    }
    fclose($pipe[1]);
    $out = stream_get_contents($pipe[0]);
    pcntl_waitpid($child, $status);
    return $out;
}

/* Returns the words of the command line that runs the command `larder`. */
function ops_command(string ...$arguments): array
{
    static $module = null; /* remember the path, because after a change of the user this process may not read the file */
    $module ??= preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m) ? $m[1] : '';
    $settings = ['-n', '-d', "extension=$module"];
    if (extension_loaded('posix') && is_file(ini_get('extension_dir') . '/posix.so')) {
        array_push($settings, '-d', 'extension=' . ini_get('extension_dir') . '/posix.so');
    }
    return [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, ...$settings, dirname(__DIR__, 3) . '/ops/main.php', ...$arguments];
}

/* Runs the command `larder`. Returns its output, its errors, and its exit code if it is not 0. */
function ops_larder(string ...$arguments): string
{
    $process = proc_open(ops_command(...$arguments), [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes, getcwd()); /* pass getcwd(), because with threads each thread has its own working directory */
    $out = stream_get_contents($pipes[1]) . stream_get_contents($pipes[2]);
    $code = proc_close($process);
    return $out . ($code !== 0 ? "exit code $code\n" : '');
}

/* Changes a store so that its values seem to come from another PHP version. Overwrites the fields value_abi and `sum` of lrd__header
 * (core/src/ground/layout.h). */
function ops_other_abi(string $path, string $abi = 'php20990101,0,0,8,codec7'): void
{
    $file = fopen($path, 'r+');
    $header = substr_replace(fread($file, 200), str_pad($abi, 64, "\0"), 128, 64);
    $sum = strrev(hash('xxh3', substr($header, 16, 176), true));
    fseek($file, 0);
    fwrite($file, substr($header, 0, 192) . $sum);
    fclose($file);
}

/* For SKIPIF: returns true if ops_deny() can work. */
function ops_denies(): bool
{
    return is_file(ini_get('extension_dir') . '/ffi.so') && extension_loaded('pcntl') && in_array(php_uname('m'), ['x86_64', 'aarch64'], true);
}

/* Runs a shell command while a system call fails with EPERM, as under a seccomp profile. Returns its output. */
function ops_deny(string $call, string $command): string
{
    $number = ['memfd_create' => [319, 279], 'membarrier' => [324, 283], 'process_vm_readv' => [310, 270]][$call][(int) (php_uname('m') === 'aarch64')];
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
    return (string) shell_exec("$php -n -d extension_dir=" . ini_get('extension_dir') . " -d extension=ffi -d ffi.enable=1 $deny " . escapeshellarg($command));
}
