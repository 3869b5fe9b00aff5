<?php

declare(strict_types=1);

namespace Demo;

use RuntimeException;

/** nginx and php-fpm with our configuration, in a folder that goes when they stop. */
final class Servers
{
    public const WORKERS = 4;

    public readonly string $url;
    private ?Child $fpm = null;
    private ?Child $nginx = null;

    public function __construct(public readonly string $folder, private readonly string $module, private readonly int $port)
    {
        $this->url = "http://127.0.0.1:$port";
    }

    public function start(): void
    {
        mkdir("$this->folder/app");
        foreach (glob(dirname(__DIR__) . '/app/*.php') ?: [] as $file) {
            copy($file, "$this->folder/app/" . basename($file)); // the workers' user may not see the original
        }
        file_put_contents("$this->folder/php.ini", $this->phpIni());
        file_put_contents("$this->folder/fpm.conf", $this->fpmConf());
        file_put_contents("$this->folder/nginx.conf", $this->nginxConf());

        $log = fopen("$this->folder/servers.log", 'a');
        $ours = fn(string $name): string => "$this->folder/$name";
        $fpm = [Programs::fpm(), '-F', '-n', '-c', $ours('php.ini'), '-y', $ours('fpm.conf')];
        $nginx = [Programs::path('nginx'), '-p', $this->folder, '-c', $ours('nginx.conf'), '-e', $ours('nginx.log')];
        $this->fpm = Child::start($fpm, $log);
        $this->nginx = Child::start($nginx, $log);
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

    /** Throws when one of them has stopped. */
    public function check(): void
    {
        if ($this->fpm?->running() !== true || $this->nginx?->running() !== true) {
            throw new RuntimeException("a server has stopped\n" . $this->logs());
        }
    }

    /** The body of an answer; null when there is none or it is an error. */
    public function get(string $path): ?string
    {
        $options = ['http' => ['timeout' => 20, 'ignore_errors' => false]];
        $text = @file_get_contents($this->url . $path, false, stream_context_create($options));
        return $text === false ? null : $text;
    }

    /** @return list<int> the processes of the pool */
    public function workers(): array
    {
        $master = $this->fpm?->pid;
        $text = @file_get_contents("/proc/$master/task/$master/children");
        return array_map(intval(...), preg_split('/\s+/', (string) $text, -1, PREG_SPLIT_NO_EMPTY) ?: []);
    }

    /** CPU time that the workers have used, in seconds, when they have nothing left to do (or after 5 s). */
    public function settledCpu(): float
    {
        $now = $this->cpu();
        for ($i = 0; $i < 50; $i++) {
            usleep(100000);
            $before = $now;
            $now = $this->cpu();
            if ($now - $before < 0.001) {
                break;
            }
        }
        return $now;
    }

    private function cpu(): float
    {
        $sum = 0;
        foreach ($this->workers() as $pid) {
            $sum += (int) strtok((string) @file_get_contents("/proc/$pid/schedstat"), ' '); // nanoseconds
        }
        return $sum / 1e9;
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

    private function phpIni(): string
    {
        $lines = [
            'zend_extension=opcache',
            'extension=' . Programs::extension('igbinary'),
            'extension=' . Programs::extension('apcu'),
            "extension=$this->module",
            'opcache.enable=1',
            'apc.shm_size=128M',
            'apc.serializer=igbinary', // the fastest that APCu has
            'larder.volatile_size=128M',
            'memory_limit=256M',
            'display_errors=0',
            'log_errors=1',
            'expose_php=0',
        ];
        return implode("\n", $lines) . "\n";
    }

    /** Workers and nginx get a user of their own where this runs as root. */
    private function user(string $line): string
    {
        return posix_geteuid() === 0 ? $line : '';
    }

    private function fpmConf(): string
    {
        $workers = self::WORKERS;
        return <<<END
            [global]
            error_log = $this->folder/fpm.log
            daemonize = no

            [demo]
            listen = $this->folder/fpm.sock
            {$this->user("user = www-data\ngroup = www-data\nlisten.owner = www-data")}
            listen.mode = 0600
            pm = static
            pm.max_children = $workers
            catch_workers_output = yes

            END;
    }

    private function nginxConf(): string
    {
        return <<<END
            {$this->user('user www-data;')}
            daemon off;
            worker_processes 1;
            pid $this->folder/nginx.pid;
            events {
                worker_connections 256;
            }
            http {
                access_log off;
                keepalive_requests 1000000;
                client_body_temp_path $this->folder/nginx-body;
                fastcgi_temp_path $this->folder/nginx-fastcgi;
                proxy_temp_path $this->folder/nginx-proxy;
                scgi_temp_path $this->folder/nginx-scgi;
                uwsgi_temp_path $this->folder/nginx-uwsgi;
                server {
                    listen 127.0.0.1:$this->port;
                    location / {
                        fastcgi_pass unix:$this->folder/fpm.sock;
                        fastcgi_param SCRIPT_FILENAME $this->folder/app/index.php;
                        fastcgi_param REQUEST_METHOD \$request_method;
                        fastcgi_param REQUEST_URI \$request_uri;
                        fastcgi_param QUERY_STRING \$query_string;
                        fastcgi_param DEMO_PACKAGES $this->folder/packages;
                    }
                }
            }

            END;
    }
}
