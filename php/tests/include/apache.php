<?php
/* Runs Apache with its PHP module (in prefork) and with Larder's module, on ports of the loopback interface, without files of /etc.
 * apache() starts the server, which stops when the test ends. */

/* Returns the path of Apache's PHP module, or null. The module has the same PHP version as this process, so it can load Larder's module. */
function apache_module(): ?string
{
    $found = glob('/usr/lib/apache2/modules/libphp' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION . '.so');
    return $found[0] ?? null;
}

/* For SKIPIF: skips a test if Apache cannot be run. */
function apache_skip(): void
{
    if (!extension_loaded('posix') || !is_executable('/usr/sbin/apache2') || !is_file('/usr/lib/apache2/modules/mod_mpm_prefork.so')) die('skip needs posix and apache2 with prefork');
    if (apache_module() === null || PHP_ZTS || PHP_DEBUG) die('skip no libphp of Apache that matches this PHP (Debian: libapache2-mod-php)');
}

final class Apache
{
    private string $folder;
    private array $ports = [];
    private int $pid = 0;
    private $process;

    /* $sites: name of a site => lines of its configuration. $ini: settings for php.ini. */
    public function __construct(array $sites, array $ini, int $children = 3)
    {
        $this->folder = sys_get_temp_dir() . '/larder-apache-' . getmypid() . '-' . mt_rand();
        mkdir($this->folder); chmod($this->folder, 0755); mkdir("$this->folder/none");
        preg_match('~(/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
        file_put_contents("$this->folder/php.ini", "extension=$m[1]\nerror_log=$this->folder/php.log\nhtml_errors=0\n" . implode("\n", array_map(fn($k, $v) => "$k=\"$v\"", array_keys($ini), $ini)) . "\n");
        $modules = '/usr/lib/apache2/modules';
        $conf = "ServerRoot $this->folder\nPidFile $this->folder/pid\nErrorLog $this->folder/error.log\nServerName localhost\nMutex file:$this->folder\n" . (posix_geteuid() === 0 ? "User www-data\nGroup www-data\n" : '')
            . "LoadModule mpm_prefork_module $modules/mod_mpm_prefork.so\nLoadModule authz_core_module $modules/mod_authz_core.so\nLoadModule mime_module $modules/mod_mime.so\nTypesConfig /dev/null\n"
            . 'LoadModule php_module ' . apache_module() . "\nPHPIniDir $this->folder\nStartServers $children\nMinSpareServers $children\nMaxSpareServers $children\nMaxRequestWorkers $children\nMaxConnectionsPerChild 0\nKeepAlive Off\nGracefulShutdownTimeout 5\n";
        foreach ($sites as $site => $lines) {
            $this->ports[$site] = $port = $this->free_port();
            mkdir("$this->folder/$site"); chmod("$this->folder/$site", 0755);
            file_put_contents("$this->folder/$site/run.php", '<?php eval(base64_decode($_SERVER["HTTP_X_RUN"]));');
            $conf .= "Listen 127.0.0.1:$port\n<VirtualHost 127.0.0.1:$port>\nDocumentRoot $this->folder/$site\n<Directory />\nAllowOverride None\nAllowOverrideList None\nRequire all granted\n</Directory>\nAddType application/x-httpd-php .php\n" . implode("\n", $lines) . "\n</VirtualHost>\n";
        }
        file_put_contents("$this->folder/apache.conf", $conf);
        /* When Apache stops, it signals its whole process group, so start it in a new session. */
        $this->process = proc_open(['setsid', '/usr/sbin/apache2', '-f', "$this->folder/apache.conf", '-DFOREGROUND'], [['file', '/dev/null', 'r'], ['file', "$this->folder/out", 'w'], ['file', "$this->folder/out", 'a']], $pipes, $this->folder, ['PHP_INI_SCAN_DIR' => "$this->folder/none", 'PATH' => getenv('PATH')] + (getenv('TMPDIR') ? ['TMPDIR' => getenv('TMPDIR')] : []));
        $this->pid = proc_get_status($this->process)['pid'];
        $this->wait(fn() => $this->get(array_key_first($this->ports), 'echo "up";', true) === 'up');
    }

    public function __destruct()
    {
        if ($this->process !== null && proc_get_status($this->process)['running']) { posix_kill($this->pid, SIGTERM); }
        if ($this->process !== null) proc_close($this->process);
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    /* Returns a free port below the range from which the kernel gives ports, so that no program takes it before Apache. */
    private function free_port(): int
    {
        do {
            $port = random_int(20000, 32000);
        } while (in_array($port, $this->ports, true) || !($socket = @stream_socket_server("tcp://127.0.0.1:$port")));
        fclose($socket);
        return $port;
    }

    /* Waits until $is() returns true, which may take more than a minute on a busy machine. */
    public function wait(callable $is): void
    {
        for ($i = 0; $i < 3000 && !$is(); $i++) {
            if (!proc_get_status($this->process)['running']) die('apache ended: ' . file_get_contents("$this->folder/out") . $this->said());
            usleep(50000);
        }
    }

    /* Runs code in Apache and returns its output, or null without an answer, for example because the child was killed. */
    public function get(string $site, string $code, bool $quiet = false): ?string
    {
        $socket = @stream_socket_client('tcp://127.0.0.1:' . $this->ports[$site], $errno, $error, 60);
        if (!$socket) return null;
        fwrite($socket, "GET /run.php HTTP/1.0\r\nHost: localhost\r\nX-Run: " . base64_encode($code) . "\r\n\r\n");
        stream_set_timeout($socket, 120);
        $answer = (string) @stream_get_contents($socket);
        fclose($socket);
        $parts = explode("\r\n\r\n", $answer, 2);
        return isset($parts[1]) ? $parts[1] : null;
    }

    public function children(): array
    {
        return array_map('intval', preg_split('/\s+/', trim((string) @file_get_contents("/proc/$this->pid/task/$this->pid/children")), -1, PREG_SPLIT_NO_EMPTY));
    }

    /* Sends SIGUSR1, which makes Apache replace its children. Returns when new children answer. */
    public function graceful(): void
    {
        $old = $this->children();
        posix_kill($this->pid, SIGUSR1);
        $this->wait(fn() => array_intersect($this->children(), $old) === [] && $this->children() !== []);
        $this->wait(fn() => $this->get(array_key_first($this->ports), 'echo "up";', true) === 'up');
    }

    public function said(): string
    {
        return (string) @file_get_contents("$this->folder/php.log") . (string) @file_get_contents("$this->folder/error.log");
    }
}

function apache(array $sites, array $ini, int $children = 3): Apache
{
    return new Apache($sites, $ini, $children);
}
