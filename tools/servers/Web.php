<?php

declare(strict_types=1);

namespace Servers;

use RuntimeException;

/** Runs nginx and php-fpm for one application, with configuration files in a folder. The folder is removed when they stop. */
final class Web extends Site
{
    public const WORKERS = 4;

    private ?Child $fpm = null;
    private ?Child $nginx = null;

    /**
     * @param string $app the folder of the application: its index.php answers all requests, and must answer /status without an error
     * @param list<string> $ini lines for the php.ini of the workers
     * @param array<string, string> $params elements of $_SERVER in each request
     * @param ?int $front the processor for nginx
     * @param ?int $back the processor for the workers
     * @param int $pool how many workers
     */
    public function __construct(
        public readonly string $folder,
        private readonly string $app,
        private readonly array $ini,
        private readonly array $params,
        private readonly int $port,
        private readonly ?int $front = null,
        private readonly ?int $back = null,
        private readonly int $pool = self::WORKERS,
    ) {
        parent::__construct("http://127.0.0.1:$port");
    }

    public function start(): void
    {
        self::copy($this->app, "$this->folder/app"); // the workers' user may not be allowed to read the original
        file_put_contents("$this->folder/php.ini", implode("\n", $this->ini) . "\n");
        file_put_contents("$this->folder/fpm.conf", $this->fpmConf());
        file_put_contents("$this->folder/nginx.conf", self::nginxConf($this->folder, $this->port, $this->location(), $this->user('user www-data;')));

        $log = fopen("$this->folder/servers.log", 'a');
        $ours = fn(string $name): string => "$this->folder/$name";
        $fpm = [Programs::fpm(), '-F', '-n', '-c', $ours('php.ini'), '-y', $ours('fpm.conf')];
        $nginx = [Programs::path('nginx'), '-p', $this->folder, '-c', $ours('nginx.conf'), '-e', $ours('nginx.log')];
        $this->fpm = Child::start($fpm, $log, $this->back);
        $this->nginx = Child::start($nginx, $log, $this->front);
        for ($i = 0; $i < 200 && $this->fpm->running() && $this->nginx->running(); $i++) {
            if ($this->get('/status') !== null) {
                return;
            }
            usleep(50000);
        }
        throw new RuntimeException("the servers did not start\n" . $this->logs());
    }

    public function stop(): void
    {
        $this->nginx?->stop();
        $this->fpm?->stop();
    }

    /** Throws if nginx or php-fpm has stopped. */
    public function check(): void
    {
        if ($this->fpm?->running() !== true || $this->nginx?->running() !== true) {
            throw new RuntimeException("a server has stopped\n" . $this->logs());
        }
    }

    protected function master(): ?int
    {
        return $this->fpm?->pid;
    }

    public function logs(): string
    {
        $text = '';
        foreach (['servers.log', 'fpm.log', 'nginx.log'] as $name) {
            $lines = @file("$this->folder/$name") ?: [];
            $text .= implode('', array_map(fn(string $line): string => "  $name: $line", array_slice($lines, -5)));
        }
        return $text;
    }

    public static function copy(string $from, string $to): void
    {
        mkdir($to, 0755);
        foreach (array_diff(scandir($from) ?: [], ['.', '..']) as $name) {
            is_dir("$from/$name") ? self::copy("$from/$name", "$to/$name") : copy("$from/$name", "$to/$name");
        }
    }

    /** Returns $line if this program runs as root, otherwise "". The line is the setting that makes workers and nginx run as another user. */
    private function user(string $line): string
    {
        return posix_geteuid() === 0 ? $line : '';
    }

    private function fpmConf(): string
    {
        $workers = $this->pool;
        return <<<END
            [global]
            error_log = $this->folder/fpm.log
            daemonize = no

            [app]
            listen = $this->folder/fpm.sock
            {$this->user("user = www-data\ngroup = www-data\nlisten.owner = www-data")}
            listen.mode = 0600
            pm = static
            pm.max_children = $workers
            catch_workers_output = yes

            END;
    }

    private function location(): string
    {
        $params = [
            'REQUEST_METHOD' => '$request_method', 'REQUEST_URI' => '$request_uri', 'QUERY_STRING' => '$query_string',
            'SCRIPT_FILENAME' => "$this->folder/app/index.php", ...$this->params,
        ];
        $lines = "fastcgi_pass unix:$this->folder/fpm.sock;\n";
        foreach ($params as $name => $value) {
            $lines .= "fastcgi_param $name $value;\n";
        }
        return $lines;
    }
}
