<?php

declare(strict_types=1);

namespace Bench\Http;

use Bench\Drivers;
use RuntimeException;
use Servers\Child;
use Servers\Programs;

/** Starts the servers that the drivers need. Only the workers' user may enter the folder of their sockets. */
final class Backends
{
    public readonly string $sockets;
    /** @var array<string, Child> */
    private array $children = [];

    public function __construct(private readonly string $folder, private readonly ?int $core = null)
    {
        $this->sockets = "$folder/sockets";
    }

    /** @param list<string> $drivers */
    public function start(array $drivers): void
    {
        mkdir($this->sockets, 0700);
        posix_geteuid() === 0 && chown($this->sockets, 'www-data');
        $log = fopen("$this->folder/backends.log", 'a');
        foreach ($drivers as $driver) {
            $command = Drivers::class($driver)::SERVER;
            $name = $command[0] ?? null;
            if ($name === null || isset($this->children[$name])) {
                continue;
            }
            try {
                $command[0] = Programs::path($name);
            } catch (RuntimeException) {
                continue; // the server is not installed; its drivers will report this
            }
            $with = ['{socket}' => $this->socket($name), '{user}' => posix_getpwuid(posix_geteuid())['name'] ?? ''];
            $command = array_map(fn(string $word): string => strtr($word, $with), $command);
            $this->children[$name] = Child::start($command, $log, $this->core);
        }
        foreach ($this->children as $name => $child) {
            $child->accepts('unix://' . $this->socket($name), $name, "$this->folder/backends.log", 4);
        }
    }

    public function stop(): void
    {
        array_walk($this->children, fn(Child $child) => $child->stop());
    }

    public function check(): void
    {
        foreach ($this->children as $name => $child) {
            $child->running() || throw new RuntimeException("$name has stopped");
        }
    }

    /** Returns the CPU seconds of the driver's server, or 0.0 if the driver has no server. */
    public function cpu(string $driver): float
    {
        $name = Drivers::class($driver)::SERVER[0] ?? null;
        return isset($this->children[$name]) ? $this->children[$name]->cpu() : 0.0;
    }

    private function socket(string $name): string
    {
        return "$this->sockets/$name.sock";
    }
}
