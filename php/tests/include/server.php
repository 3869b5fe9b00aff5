<?php
require_once __DIR__ . '/opcache.php';

/* Runs PHP's built-in server, so that a test can send several requests to one process. $code runs in each request; $n is the request's
 * number. */
function server(string $code, int $workers = 0, string $settings = ''): callable
{
    preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $module);
    $folder = sys_get_temp_dir() . '/larder-server-' . getmypid() . '-' . mt_rand();
    mkdir($folder);
    file_put_contents("$folder/index.php", "<?php\nuse Larder\\VolatileCache;\nuse Larder\\PinnedCache;\n\$n = (int) (\$_SERVER['QUERY_STRING'] ?? 0);\n$code\n");
    $command = [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$module[1]", ...(ini_get('larder.statics') ? ['-d', 'larder.statics=1'] : []), '-d', 'display_errors=1', '-d', 'html_errors=0', '-d', 'log_errors=0', ...opcache_options(opcache_settings())];
    foreach (array_filter(explode(' ', $settings)) as $setting) {
        array_push($command, '-d', $setting);
    }
    /* Another program may take the free port first, so wait until the server reports that it listens. */
    for ($tries = 0; ; $tries++) {
        $socket = stream_socket_server('tcp://127.0.0.1:0');
        $address = stream_socket_get_name($socket, false);
        fclose($socket);
        $process = proc_open([...$command, '-S', $address, '-t', $folder], [['file', '/dev/null', 'r'], ['file', "$folder/log", 'w'], ['file', "$folder/log", 'w']], $pipes, $folder, ['PHP_CLI_SERVER_WORKERS' => $workers ?: null] + getenv());
        for ($end = microtime(true) + 120; !($up = str_contains((string) file_get_contents("$folder/log"), ') started')) && proc_get_status($process)['running'] && microtime(true) < $end;) {
            usleep(5000);
        }
        if ($up) {
            break;
        }
        if ($tries === 20 || proc_get_status($process)['running']) {
            proc_terminate($process, 9);
            die("the server did not start:\n" . file_get_contents("$folder/log"));
        }
    }
    register_shutdown_function(function () use ($process, $folder) {
        $pid = proc_get_status($process)['pid']; /* workers do not end with their master */
        $workers = array_filter(explode(' ', trim((string) @file_get_contents("/proc/$pid/task/$pid/children"))));
        proc_terminate($process, 2);
        for ($i = 0; $i < 200 && proc_get_status($process)['running']; $i++) {
            usleep(10000);
        }
        proc_terminate($process, 9);
        array_map(fn (string $worker) => posix_kill((int) $worker, 9), $workers);
        array_map('unlink', glob("$folder/*"));
        @rmdir($folder);
    });
    /* Returns the body of the answer. Returns false if the process died. */
    return function ($n = 0) use ($address) {
        return @file_get_contents("http://$address/?$n", false, stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 300]]));
    };
}
