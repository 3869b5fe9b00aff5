<?php

declare(strict_types=1);

namespace Servers;

use RuntimeException;

/** Runs Puma with workers of one thread each, behind nginx. */
final class Puma extends Site
{
    private ?Child $puma = null;
    private ?Child $nginx = null;

    /**
     * @param string $folder for the servers' files; puma.rb must make Puma listen on puma.sock in this folder
     * @param string $app the folder with puma.rb
     * @param array<string, string> $environment
     */
    public function __construct(private readonly string $folder, private readonly string $app, private readonly array $environment, private readonly int $port)
    {
        parent::__construct("http://127.0.0.1:$port");
    }

    /** Starts the servers. Waits until there are $workers workers. */
    public function start(int $workers): void
    {
        file_put_contents("$this->folder/nginx.conf", self::nginxConf($this->folder, $this->port, "proxy_pass http://unix:$this->folder/puma.sock;\nproxy_set_header Host localhost;"));
        $log = fopen("$this->folder/servers.log", 'a');
        $settings = array_map(fn(string $name, string $value): string => "$name=$value", array_keys($this->environment), $this->environment);
        $this->puma = Child::start([Programs::path('env'), ...$settings, Programs::path('puma'), '-C', "$this->app/puma.rb"], $log);
        $this->nginx = Child::start([Programs::path('nginx'), '-p', $this->folder, '-c', "$this->folder/nginx.conf", '-e', "$this->folder/nginx.log"], $log);
        for ($i = 0; $i < 600 && $this->puma->running() && $this->nginx->running(); $i++) {
            if (count($this->workers()) === $workers && $this->get('/status') !== null) {
                return;
            }
            usleep(100000);
        }
        throw new RuntimeException("the servers did not start\n" . @file_get_contents("$this->folder/servers.log") . @file_get_contents("$this->folder/nginx.log"));
    }

    public function stop(): void
    {
        $this->nginx?->stop();
        $this->puma?->stop();
    }

    protected function master(): ?int
    {
        return $this->puma?->pid;
    }
}
