<?php
/* Runs FrankenPHP (TEST_FRANKENPHP, or in PATH) with Caddy and this module. frankenphp() starts the server, which stops when the test ends.
 * Each site listens on a unix socket in the server's folder. */

function frankenphp_binary(): string
{
    $named = getenv('TEST_FRANKENPHP');
    return $named !== false && $named !== '' ? $named : trim((string) shell_exec('command -v frankenphp'));
}

/* For SKIPIF: skips a test if FrankenPHP cannot be run. */
function frankenphp_skip(): void
{
    if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
    $binary = frankenphp_binary();
    if ($binary === '') die('skip no frankenphp in PATH (docs/testing.md says how to run this)');
    $which = 'PHP_VERSION . (PHP_ZTS ? " thread-safe" : "") . (PHP_DEBUG ? " debug" : "")';
    $script = tempnam(sys_get_temp_dir(), 'larder-frankenphp-');
    file_put_contents($script, "<?php echo $which;");
    $theirs = trim((string) shell_exec(escapeshellarg($binary) . ' php-cli ' . escapeshellarg($script) . ' 2>/dev/null'));
    unlink($script);
    $ours = eval("return $which;");
    if ($theirs !== $ours) die("skip $binary has PHP $theirs, and this one is $ours");
    if (getenv('VALGRIND_OPTS')) die('skip the server does not run under valgrind');
}

final class FrankenPhp
{
    public readonly string $folder;
    private int $pid;
    private $process;

    /* $sites: name of a site => lines of its block `php_server`. $global: lines of the block `frankenphp`. $ini: settings for php.ini.
     * In these lines, FOLDER stands for the server's folder. That folder contains run.php, worker.php (the script of workers), and for each
     * site a folder with copies of both. */
    public function __construct(private array $sites, private array $global, array $ini)
    {
        $this->folder = sys_get_temp_dir() . '/larder-frankenphp-' . getmypid() . '-' . mt_rand();
        mkdir($this->folder);
        mkdir("$this->folder/none");
        $run = 'eval(base64_decode($_SERVER["HTTP_X_RUN"]));';
        file_put_contents("$this->folder/run.php", "<?php $run");
        /* $thread identifies the worker's thread while the worker's script runs. */
        file_put_contents("$this->folder/worker.php", "<?php \$thread = bin2hex(random_bytes(8)); while (frankenphp_handle_request(function () { $run })) ;");
        foreach (array_keys($sites) as $site) {
            mkdir("$this->folder/$site");
            copy("$this->folder/run.php", "$this->folder/$site/run.php");
            copy("$this->folder/worker.php", "$this->folder/$site/worker.php");
        }
        preg_match('~(/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
        $ini += ['extension' => $m[1], 'error_log' => "$this->folder/php.log", 'log_errors' => '1', 'display_errors' => '1', 'html_errors' => '0', 'max_execution_time' => '0', 'memory_limit' => '256M', 'zend.signal_check' => '0'];
        if (ini_get('opcache.enable_cli')) $ini += ['zend_extension' => 'opcache', 'opcache.file_update_protection' => '0', 'opcache.jit' => 'off'];
        file_put_contents("$this->folder/php.ini", implode('', array_map(fn($k, $v) => "$k=\"$v\"\n", array_keys($ini), $ini)));
        file_put_contents("$this->folder/Caddyfile", $this->caddyfile());
        $environment = ['PHPRC' => $this->folder, 'PHP_INI_SCAN_DIR' => "$this->folder/none", 'HOME' => $this->folder, 'PATH' => getenv('PATH')];
        foreach (['LD_LIBRARY_PATH', 'TMPDIR'] as $name) if (getenv($name)) $environment[$name] = getenv($name);
        $this->process = proc_open([frankenphp_binary(), 'run', '--config', "$this->folder/Caddyfile", '--adapter', 'caddyfile'], [['file', '/dev/null', 'r'], ['file', "$this->folder/out", 'w'], ['file', "$this->folder/out", 'a']], $pipes, $this->folder, $environment);
        $this->pid = proc_get_status($this->process)['pid'];
        $this->wait(fn() => $this->get(array_key_first($sites), 'echo "up";') === 'up');
    }

    public function __destruct()
    {
        if (getmypid() !== $this->owner()) return;
        posix_kill($this->pid, SIGTERM);
        for ($i = 0; $i < 600 && proc_get_status($this->process)['running']; $i++) usleep(50000);
        posix_kill($this->pid, SIGKILL);
        proc_close($this->process);
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /* Returns the id of the process that has started the server. The folder's name contains this id. Only this process may stop the
     * server. */
    private function owner(): int
    {
        return (int) explode('-', basename($this->folder))[2];
    }

    private function caddyfile(): string
    {
        $text = "{\nadmin unix/$this->folder/admin.sock\nauto_https off\npersist_config off\nskip_install_trust\nlog {\nlevel WARN\n}\nfrankenphp {\nphp_ini larder.sapi_optin frankenphp\n" . implode("\n", $this->global) . "\n}\n}\n";
        foreach ($this->sites as $site => $lines)
            $text .= "http://$site {\nbind unix/$this->folder/$site.sock\nroot $this->folder/$site\nphp_server {\n" . implode("\n", $lines) . "\n}\n}\n";
        return str_replace('FOLDER', $this->folder, $text);
    }

    /* Waits until $is() returns true, which may take more than a minute on a busy machine. */
    public function wait(callable $is): void
    {
        for ($i = 0; $i < 3000 && !$is(); $i++) {
            if (!proc_get_status($this->process)['running']) die('frankenphp ended: ' . json_encode(proc_get_status($this->process)) . $this->said());
            usleep(50000);
        }
    }

    private static function request(string $site, string $script, string $code): string
    {
        return "GET /$script HTTP/1.1\r\nHost: $site\r\nX-Run: " . base64_encode($code) . "\r\n";
    }

    /* Reads one answer and returns its body, or null if the answer reports no success. */
    private static function answer($socket): ?string
    {
        $good = str_contains((string) fgets($socket), ' 200 ');
        $length = 0;
        $chunked = false;
        while (($line = rtrim((string) fgets($socket))) !== '') {
            [$name, $value] = explode(': ', $line, 2) + [1 => ''];
            if (strcasecmp($name, 'Content-Length') === 0) $length = (int) $value;
            if (strcasecmp($name, 'Transfer-Encoding') === 0) $chunked = true;
        }
        $body = '';
        do {
            if ($chunked) $length = (int) hexdec(trim((string) fgets($socket)));
            if ($length > 0) $body .= stream_get_contents($socket, $length);
            if ($chunked) fgets($socket);
        } while ($chunked && $length > 0);
        return $good ? $body : null;
    }

    private function connect(string $site)
    {
        $socket = @stream_socket_client("unix://$this->folder/$site.sock", $errno, $error, 60);
        if ($socket) stream_set_timeout($socket, 300);
        return $socket;
    }

    /* Runs code in the server and returns its output, or null if no answer reports success. */
    public function get(string $site, string $code, string $script = 'run.php'): ?string
    {
        return $this->each($site, [$code], $script)[0];
    }

    /* Sends several requests at once. Returns what get() would return for each. */
    public function each(string $site, array $codes, string $script = 'run.php'): array
    {
        $sockets = [];
        foreach ($codes as $i => $code) {
            $sockets[$i] = $this->connect($site);
            if ($sockets[$i]) fwrite($sockets[$i], self::request($site, $script, $code) . "Connection: close\r\n\r\n");
        }
        return array_map(fn($socket) => $socket ? self::answer($socket) : null, $sockets);
    }

    /* Runs the code $requests times, in consecutive requests on one connection. Returns the number of answers that differ from $right. */
    public function repeat(int $requests, string $site, string $code, string $right, string $script = 'run.php'): int
    {
        $others = 0;
        $socket = null;
        for ($i = 0; $i < $requests; $i++) {
            $socket = $socket ?: $this->connect($site);
            $answer = null;
            if ($socket && fwrite($socket, self::request($site, $script, $code) . "\r\n")) $answer = self::answer($socket);
            if ($answer === $right) continue;
            $others++;
            if ($answer !== null) fwrite(STDERR, "$answer\n");
            $socket = null;
        }
        return $others;
    }

    /* Runs the code once in each thread of the workers, first in the thread with $turn 1, then in the thread with $turn 2. No request ends
     * before all requests have begun, so each request gets another thread. Returns the outputs. */
    public function all(int $threads, string $site, string $code, string $script = 'worker.php'): array
    {
        static $round = 0;
        $round++;
        $P = '\Larder\PinnedCache';
        $wait = "for (\$end = time() + 300; %s && time() < \$end;) usleep(500);";
        $whole = "\$turn = $P::increment('round $round'); " . sprintf($wait, "$P::get('round $round') < $threads") . sprintf($wait, "($P::get('turn $round') ?? 0) !== \$turn - 1")
            . " try { $code } finally { $P::set('turn $round', \$turn); }" . sprintf($wait, "$P::get('turn $round') < $threads");
        return $this->each($site, array_fill(0, $threads, $whole), $script);
    }

    /* Sends a request to the server's administration interface. Returns true if it succeeded. */
    public function ask(string $path, string $body = ''): bool
    {
        $socket = stream_socket_client("unix://$this->folder/admin.sock", $errno, $error, 60);
        stream_set_timeout($socket, 300);
        fwrite($socket, "POST $path HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCache-Control: must-revalidate\r\nContent-Type: text/caddyfile\r\nContent-Length: " . strlen($body) . "\r\n\r\n$body");
        return self::answer($socket) !== null;
    }

    public function restart_workers(): bool
    {
        return $this->ask('/frankenphp/workers/restart');
    }

    /* Makes the server start PHP again, in the same process. */
    public function reload(): bool
    {
        return $this->ask('/load', $this->caddyfile());
    }

    public function said(): string
    {
        return (string) @file_get_contents("$this->folder/php.log") . (string) @file_get_contents("$this->folder/out");
    }
}

function frankenphp(array $sites, array $global = [], array $ini = []): FrankenPhp
{
    return new FrankenPhp($sites, $global, $ini);
}
