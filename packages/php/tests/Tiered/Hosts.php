<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Predis\Client;

/**
 * A server, and hosts that use it, on this machine: each host is a scope of named stores, with its own processes. LARDER_SERVER=valkey uses
 * Valkey's programs instead of Redis'.
 */
final class Hosts
{
    public readonly string $folder;
    public readonly string $socket;
    /** @var array<int, resource> processes by id */
    private array $processes = [];
    /** @var array<int, array{resource, resource}> by process id: the pipes that the process reads and writes */
    private array $pipes = [];
    public int $server = 0;

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/larder-hosts-' . getmypid() . '-' . bin2hex(random_bytes(4));
        mkdir($this->folder, 0700);
        $this->socket = "$this->folder/redis.sock";
        $this->startServer();
    }

    public function __destruct()
    {
        foreach (array_keys($this->processes) as $id) {
            $this->kill($id);
        }
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public static function missing(): ?string
    {
        return match (true) {
            !class_exists(Client::class) => 'predis/predis is not installed',
            default => self::programMissing('server'),
        };
    }

    /** Returns the path of a program; $what is "server" or "sentinel". */
    public static function program(string $what): string
    {
        return '/usr/bin/' . (getenv('LARDER_SERVER') ?: 'redis') . "-$what";
    }

    public static function programMissing(string $what): ?string
    {
        $program = self::program($what);
        return is_executable($program) ? null : "$program is missing (Debian: " . basename($program) . ')';
    }

    public function startServer(): void
    {
        $this->server = $this->start([self::program('server'), '--port', '0', '--unixsocket', $this->socket, '--save', '', '--appendonly', 'no', '--dir', $this->folder], ['file', "$this->folder/redis.log", 'a']);
        $this->until('the server answers', fn(): bool => file_exists($this->socket) && (string) $this->client()->ping() === 'PONG');
    }

    public function client(): Client
    {
        return new Client("unix:$this->socket");
    }

    public function startSync(string $host, float $bound = 1.0, string $more = ''): int
    {
        return $this->startSyncOf($host, $bound, "--server=unix:$this->socket$more");
    }

    public function startSyncOf(string $host, float $bound, string ...$server): int
    {
        return $this->php($host, [...$this->sync(), "--bound=$bound", ...$server], ['file', "$this->folder/sync.log", 'a']);
    }

    /** Runs larder-sync until it ends, and returns its output. */
    public function runSync(string $host, string ...$arguments): string
    {
        $id = $this->php($host, [...$this->sync(), ...$arguments], ['pipe', 'w']);
        $text = (string) stream_get_contents($this->pipes[$id][1]);
        $this->kill($id);
        return $text;
    }

    /** @return list<string> */
    private function sync(): array
    {
        return [\dirname(__DIR__, 2) . '/bin/larder-sync', '--name=test'];
    }

    /** @param string $server a server for host.php; "" means the one that the constructor started */
    public function startWorker(string $host, string $client = 'predis', string $server = ''): int
    {
        return $this->php($host, [__DIR__ . '/host.php', self::autoload(), $server ?: $this->socket, $client], ['pipe', 'w']);
    }

    public function call(int $worker, string $method, mixed ...$arguments): mixed
    {
        $this->ask($worker, $method, ...$arguments);
        return $this->answer($worker);
    }

    public function ask(int $worker, string $method, mixed ...$arguments): void
    {
        fwrite($this->pipes[$worker][0], base64_encode(serialize([$method, $arguments])) . "\n");
    }

    public function answer(int $worker): mixed
    {
        $line = fgets($this->pipes[$worker][1]);
        if ($line === false) {
            throw new \RuntimeException("The worker has died:\n" . file_get_contents("$this->folder/errors.log"));
        }
        return unserialize((string) base64_decode($line, true));
    }

    public function runs(int $id): bool
    {
        return isset($this->processes[$id]) && proc_get_status($this->processes[$id])['running'];
    }

    public function signal(int $id, int $signal): void
    {
        posix_kill($id, $signal);
    }

    public function kill(int $id): void
    {
        if (isset($this->processes[$id])) {
            posix_kill($id, SIGKILL);
            proc_close($this->processes[$id]);
            unset($this->processes[$id], $this->pipes[$id]);
        }
    }

    /**
     * Calls $true until it returns true. After $seconds, calls it a last time, and throws if it still does not return true.
     *
     * @param \Closure(): bool $true
     */
    public function until(string $what, \Closure $true, float $seconds = 60): void
    {
        for ($end = hrtime(true) + $seconds * 1e9;; usleep(1000)) {
            $asked = hrtime(true);
            try {
                if ($true()) {
                    return;
                }
            } catch (\Predis\PredisException) { // the server is not ready yet
            }
            if ($asked > $end) {
                throw new \RuntimeException("In vain waited $seconds s until $what:\n" . @file_get_contents("$this->folder/sync.log") . @file_get_contents("$this->folder/errors.log"));
            }
        }
    }

    public function syncLog(): string
    {
        return (string) @file_get_contents("$this->folder/errors.log");
    }

    /** Starts another server on this port, or a Sentinel. @param list<string> $settings */
    public function startRedis(int $port, array $settings, string $what = 'server', string $first = ''): int
    {
        $folder = "$this->folder/" . $port;
        is_dir($folder) || mkdir($folder, 0700);
        return $this->start([self::program($what), ...array_filter([$first], strlen(...)), '--bind', '127.0.0.1', '--port', (string) $port, '--dir', $folder, ...$settings], ['file', "$folder/log", 'a']);
    }

    /** Returns a free port, below the range in which the kernel chooses ports for other programs. */
    public static function freePort(): int
    {
        do {
            $port = random_int(20000, 32000);
            $socket = @stream_socket_server("tcp://127.0.0.1:$port");
        } while (!\is_resource($socket));
        return $port;
    }

    public static function autoload(): string
    {
        return (getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib') . '/vendor/autoload.php';
    }

    /**
     * @param list<string> $arguments
     * @param list<string> $output
     */
    private function php(string $host, array $arguments, array $output): int
    {
        $extensions = (string) ini_get('extension_dir');
        $module = getenv('LARDER_MODULE') ?: \dirname(__DIR__, 4) . '/php/modules/larder.so';
        is_dir("$this->folder/$host") || mkdir("$this->folder/$host", 0700);
        $command = [PHP_BINARY, '-n', '-d', "extension_dir=$extensions", '-d', "extension=$module", '-d', "larder.path=$this->folder/$host", '-d', 'larder.volatile_size=8M'];
        foreach (['igbinary', 'redis', 'posix'] as $extension) {
            if (is_file("$extensions/$extension.so")) {
                array_push($command, '-d', "extension=$extension");
            }
        }
        return $this->start([...$command, ...$arguments], $output);
    }

    /**
     * @param list<string> $command
     * @param list<string> $output
     */
    private function start(array $command, array $output): int
    {
        $process = proc_open($command, [['pipe', 'r'], $output, ['file', "$this->folder/errors.log", 'a']], $pipes, null, ['LARDER_AUTOLOAD' => self::autoload()] + getenv());
        \is_resource($process) || throw new \RuntimeException('not started: ' . $command[0]);
        $id = proc_get_status($process)['pid'];
        $this->processes[$id] = $process;
        $this->pipes[$id] = [$pipes[0], $pipes[1] ?? $pipes[0]];
        return $id;
    }
}
