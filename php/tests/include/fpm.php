<?php
/* Runs php-fpm with this module, with unix sockets in its own folder. fpm() starts the server, which stops when the test ends. Requests go
 * through cgi-fcgi, an independent FastCGI client. */

require_once __DIR__ . '/opcache.php';

/* Returns the path of the php-fpm of this PHP version, or null. Only a php-fpm of this version can load Larder's module. */
function fpm_binary(): ?string
{
    $build = function (string $text): string {
        return preg_match('/PHP Extension Build => (\S+)/', $text, $m) ? $m[1] : '?';
    };
    ob_start();
    phpinfo(INFO_GENERAL);
    $ours = $build(ob_get_clean());
    $version = PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION;
    $places = [getenv('TEST_FPM') ?: '', dirname(PHP_BINARY, 2) . '/sbin/php-fpm', "/usr/sbin/php-fpm$version", '/usr/sbin/php-fpm'];
    foreach ($places as $place) {
        if ($place !== '' && is_executable($place) && $build((string) shell_exec(escapeshellarg($place) . ' -n -i 2>/dev/null')) === $ours) {
            return $place;
        }
    }
    return null;
}

/* For SKIPIF: skips a test if php-fpm cannot be run. $users: users under which the test runs pools, which needs root. */
function fpm_skip(string ...$users): void
{
    if (!extension_loaded('pcntl') || !extension_loaded('posix')) {
        die('skip needs pcntl and posix');
    }
    if (fpm_binary() === null) {
        die('skip no php-fpm that matches this PHP');
    }
    if (trim((string) shell_exec('command -v cgi-fcgi')) === '') {
        die('skip needs cgi-fcgi (Debian: libfcgi-bin)');
    }
    if (getenv('VALGRIND_OPTS')) {
        die('skip a worker under valgrind does not say its pool');
    }
    if ($users && posix_geteuid() !== 0) {
        die('skip needs root, to run pools as other users');
    }
    foreach ($users as $user) {
        if (posix_getpwnam($user) === false) {
            die("skip needs the user $user");
        }
    }
}

/* Returns the path of a loaded module, or null. */
function fpm_module(string $file): ?string
{
    preg_match('~ (/\S+/' . preg_quote($file) . ')$~m', file_get_contents('/proc/self/maps'), $m);
    return $m[1] ?? null;
}

/* Returns true if a process lives. A zombie does not. */
function fpm_lives(int $pid): bool
{
    return preg_match('/^\d+ \(.*\) [^ZX]/s', (string) @file_get_contents("/proc/$pid/stat")) === 1;
}

/* Stops a process with SIGSTOP, and waits until it has stopped. Returns false if it has died. */
function fpm_halt(int $pid): bool
{
    $state = null;
    posix_kill($pid, SIGSTOP) && fpm_wait(function () use ($pid, &$state) {
        $state = preg_match('/^\d+ \(.*\) (\S)/s', (string) @file_get_contents("/proc/$pid/stat"), $m) ? $m[1] : 'gone';
        return in_array($state, ['T', 'X', 'Z', 'gone'], true);
    }, 60);
    return $state === 'T';
}

/* Waits until a condition is true. Returns false if it is still false after $seconds. */
function fpm_wait(callable $condition, float $seconds = 90): bool
{
    for ($end = microtime(true) + $seconds; !($held = $condition()) && microtime(true) < $end;) {
        usleep(5000);
    }
    return (bool) $held;
}

final class Fpm
{
    public readonly string $folder;
    public int $pid = 0;
    private $process = null;
    private array $command;
    private int $owner;

    /* $pools: name of a pool => its directives. $settings: settings for php.ini. $inherit: descriptor number => file that FPM
     * inherits. */
    public function __construct(private array $pools, array $settings = [], private array $inherit = [], string $global = '')
    {
        $this->owner = getmypid();
        $this->folder = sys_get_temp_dir() . '/larder-fpm-' . getmypid() . '-' . mt_rand();
        foreach (['', '/www', '/log'] as $folder) {
            mkdir($this->folder . $folder);
            chmod($this->folder . $folder, $folder === '/log' ? 0777 : 0755);
        }
        $conf = "[global]\nerror_log = {$this->folder}/log/master\nlog_level = notice\ndaemonize = no\nprocess_control_timeout = 3\n$global\n";
        foreach ($pools as $name => $directives) {
            $directives += [
                'user' => 'www-data', 'group' => 'nogroup', 'listen' => $this->socket($name), 'listen.mode' => '0666', 'pm' => 'static',
                'pm.max_children' => 1, 'php_admin_value[error_log]' => "{$this->folder}/log/$name",
            ];
            $conf .= "[$name]\n";
            foreach ($directives as $directive => $value) {
                $conf .= "$directive = $value\n";
            }
        }
        file_put_contents("{$this->folder}/fpm.conf", $conf);
        $settings += ['display_errors' => 1, 'html_errors' => 0, 'log_errors' => 1, 'error_log' => "{$this->folder}/log/master-php"];
        $this->command = [fpm_binary(), '-n', '-F', '-y', "{$this->folder}/fpm.conf", '-d', 'extension=' . fpm_module('larder.so'), ...(ini_get('larder.statics') ? ['-d', 'larder.statics=1'] : [])];
        array_push($this->command, ...opcache_options(opcache_settings()));
        foreach ($settings as $name => $value) {
            array_push($this->command, '-d', is_int($name) ? $value : "$name=$value");
        }
        register_shutdown_function(function () {
            if (getmypid() === $this->owner) {
                $this->stop();
                foreach (['/www/', '/log/', '/'] as $folder) {
                    array_map('unlink', array_filter(glob("{$this->folder}$folder*"), fn ($path) => !is_dir($path)));
                    @rmdir($this->folder . $folder);
                }
            }
        });
    }

    public function socket(string $pool): string
    {
        return $this->folder . '/' . substr(md5($pool), 0, 8) . '.sock';
    }

    /* Returns the command line of the master process, followed by $extra. */
    public function command(string ...$extra): array
    {
        return array_merge($this->command, $extra);
    }

    public function start(): static
    {
        $log = ['file', "{$this->folder}/log/stderr", 'a'];
        /* The test runner may have left listening sockets open, so close all descriptors except the chosen ones. setpriv makes FPM end when
         * this process ends, even if this process is killed. */
        $close = 'keep=" $1 "; shift; for fd in /proc/$$/fd/*; do fd=${fd##*/}; [[ "$keep" == *" $fd "* ]] || eval "exec $fd>&-"; done; exec setpriv --pdeathsig TERM "$@"';
        $command = array_merge(['bash', '-c', $close, 'start', implode(' ', [0, 1, 2, 255, ...array_keys($this->inherit)])], $this->command);
        $this->process = proc_open($command, [['file', '/dev/null', 'r'], $log, $log] + $this->inherit, $pipes, $this->folder, getenv() + ['LARDER_TEST' => '1']);
        $this->pid = proc_get_status($this->process)['pid'];
        $this->await();
        return $this;
    }

    private function await(): void
    {
        $up = fpm_wait(function () {
            foreach ($this->pools as $name => $directives) {
                if (!($socket = @stream_socket_client($directives['listen'] ?? 'unix://' . $this->socket($name)))) {
                    return false;
                }
                fclose($socket);
                if (($directives['pm'] ?? 'static') === 'static' && count($this->workers($name)) < ($directives['pm.max_children'] ?? 1)) {
                    return false;
                }
            }
            return true;
        });
        $up || die("php-fpm did not start:\n" . $this->log('stderr') . $this->log('master'));
    }

    public function stop(): void
    {
        if ($this->process === null) {
            return;
        }
        $all = array_merge([$this->pid], $this->children());
        posix_kill($this->pid, SIGTERM);
        if (!fpm_wait(fn () => !array_filter($all, 'fpm_lives'), 20)) {
            foreach (array_unique(array_merge($all, $this->children())) as $pid) {
                fpm_lives($pid) && posix_kill($pid, SIGKILL);
            }
        }
        proc_close($this->process);
        $this->process = null;
    }

    /* Sends SIGUSR2 to the master process, which executes itself again when its workers have ended. */
    public function reload(): void
    {
        $old = $this->children();
        posix_kill($this->pid, SIGUSR2);
        fpm_wait(fn () => !array_filter($old, 'fpm_lives')) || die("the workers did not end\n");
        $this->await();
    }

    private function children(): array
    {
        return array_map('intval', explode(' ', trim((string) @file_get_contents("/proc/{$this->pid}/task/{$this->pid}/children")) ?: '0'));
    }

    /* Returns the process ids of a pool's workers. */
    public function workers(string $pool): array
    {
        return array_values(array_filter($this->children(), fn ($pid) => $pid > 0 && fpm_lives($pid) && rtrim(strtr((string) @file_get_contents("/proc/$pid/cmdline"), "\0", ' ')) === "php-fpm: pool $pool"));
    }

    /* Kills a worker at any point of its work. Spares a worker that may hold the lock of FPM's scoreboard (in shared memory), because the
     * master would wait for this lock for ever. Returns true if the worker was killed. */
    public function kill(int $pid): bool
    {
        if (!fpm_lives($pid) || !fpm_halt($pid)) {
            return false;
        }
        $locked = false;
        $memory = @fopen("/proc/$pid/mem", 'r');
        preg_match_all('~^([0-9a-f]+)-\S+ rw-s .*/dev/zero~m', (string) @file_get_contents("/proc/$pid/maps"), $m);
        foreach ($memory ? $m[1] : [] as $start) {
            stream_set_read_buffer($memory, 0);
            fseek($memory, hexdec($start));
            $board = (string) fread($memory, 48); /* the lock, then the name of the pool, which begins at byte 16 */
            $locked = $locked || (isset($this->pools[rtrim(substr($board, 16), "\0")]) && unpack('V', $board)[1] !== 0);
        }
        posix_kill($pid, $locked ? SIGCONT : SIGKILL);
        return !$locked && fpm_wait(fn () => !fpm_lives($pid));
    }

    /* Writes a script with this code, and returns its path. */
    public function script(string $code): string
    {
        $path = "{$this->folder}/www/" . md5($code) . '.php';
        if (!file_exists($path)) {
            file_put_contents("$path.new", "<?php\nuse Larder\\VolatileCache as V;\nuse Larder\\PinnedCache as P;\n$code\n");
            rename("$path.new", $path);
        }
        return $path;
    }

    /* Runs code as a request in a worker of the pool, and returns its output, or false without an answer. */
    public function run(string $pool, string $code, array $server = []): string|false
    {
        $variables = $server + [
            'SCRIPT_FILENAME' => $this->script($code), 'REQUEST_METHOD' => 'GET', 'SERVER_PROTOCOL' => 'HTTP/1.1', 'GATEWAY_INTERFACE' => 'CGI/1.1',
            'PATH' => getenv('PATH'),
        ];
        $client = proc_open(['cgi-fcgi', '-bind', '-connect', $this->socket($pool)], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes, null, $variables);
        $answer = stream_get_contents($pipes[1]);
        proc_close($client);
        $body = strstr($answer, "\r\n\r\n");
        return $body === false ? false : substr($body, 4);
    }

    /* Returns the text of a log. $name is a pool, 'master', 'master-php' or 'stderr'. */
    public function log(string $name): string
    {
        return (string) @file_get_contents("{$this->folder}/log/$name");
    }

    /* Returns Larder's lines in a log, each different line once. */
    public function said(string $name): string
    {
        preg_match_all('/Larder(?: is off|:).*/', $this->log($name), $m);
        return implode("\n", array_unique($m[0]));
    }
}

function fpm(array $pools, array $settings = [], array $inherit = [], string $global = ''): Fpm
{
    return (new Fpm($pools, $settings, $inherit, $global))->start();
}
