<?php
/* Runs requests in separate processes, which share the stores of this process. */

function statics_skip(): void
{
    if (!extension_loaded('pcntl') || !extension_loaded('posix')) {
        die('skip needs pcntl and posix');
    }
}

/* Runs code in a forked process, prints its output, and returns its result. If $kill is true, kills the process just after the code, before
 * the end of the request. */
function request(string $code, bool $kill = false): mixed
{
    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    $child = pcntl_fork();
    if ($child === 0) {
        fclose($here);
        statics_run($code, $there, $kill);
        exit;
    }
    fclose($there);
    $answer = stream_get_contents($here);
    pcntl_waitpid($child, $status);
    if (!$kill && pcntl_wifsignaled($status)) {
        echo 'the process died of signal ', pcntl_wtermsig($status), "\n";
    }
    return $answer === '' ? null : unserialize($answer);
}

function statics_run(string $code, $pipe, bool $kill): void
{
    try {
        $answer = eval(str_starts_with($code, 'namespace') ? $code : "use Larder\\{VolatileCache, PinnedCache};\n$code");
    } catch (Throwable $e) {
        $answer = get_class($e) . ': ' . $e->getMessage();
    }
    fwrite($pipe, serialize($answer));
    if ($kill) {
        posix_kill(getmypid(), SIGKILL);
    }
}

/* Writes classes to a file that requests load, and returns its path. Equal names give equal paths. */
function source(string $name, string $code): string
{
    static $folder = null;
    if ($folder === null) {
        $folder = sys_get_temp_dir() . '/larder-statics-' . bin2hex(random_bytes(8)); // a random name: killed processes leave their folder, and process ids repeat
        mkdir($folder);
        $owner = getmypid();
        register_shutdown_function(function () use ($folder, $owner) {
            if (getmypid() === $owner) {
                array_map('unlink', glob("$folder/*"));
                rmdir($folder);
            }
        });
    }
    file_put_contents("$folder/$name.php", "<?php\n" . (str_starts_with($code, 'namespace') ? '' : "use Larder\\{VolatileStatic, PinnedStatic, CacheStrategy, VolatileCache, PinnedCache};\n") . "$code\n");
    return "$folder/$name.php";
}
