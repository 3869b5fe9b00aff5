<?php

declare(strict_types=1);

namespace Servers;

use RuntimeException;

/** A child process of this program. If this program ends, the child is stopped. */
final class Child
{
    /** @var resource */
    public readonly mixed $output;
    public readonly int $pid;
    private ?int $status = null;

    /** @param resource $process */
    private function __construct(private readonly mixed $process, mixed $output)
    {
        $this->output = $output;
        $this->pid = proc_get_status($process)['pid'];
    }

    /**
     * @param list<string> $command
     * @param resource $errors
     * @param ?int $core the only processor on which the process may run
     */
    public static function start(array $command, mixed $errors, ?int $core = null): self
    {
        $program = $command[0];
        if ($core !== null) {
            array_unshift($command, Programs::path('taskset'), '-c', (string) $core);
        }
        // The child gets a SIGTERM when this process dies, even by a kill, and leads a process group with its own children.
        array_unshift($command, Programs::path('setpriv'), '--pdeathsig', 'TERM', Programs::path('setsid'));
        $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], $errors], $pipes);
        if ($process === false) {
            throw new RuntimeException("cannot start $program");
        }
        stream_set_blocking($pipes[1], false);
        return new self($process, $pipes[1]);
    }

    /** Returns the next part of the process's output, or '' if there is none within $milliseconds. */
    public function read(int $milliseconds): string
    {
        $read = [$this->output];
        $write = $except = [];
        if ((int) @stream_select($read, $write, $except, 0, $milliseconds * 1000) < 1) {
            return '';
        }
        return (string) fread($this->output, 65536);
    }

    public function running(): bool
    {
        $state = proc_get_status($this->process);
        if (!$state['running'] && $this->status === null) {
            $this->status = $state['exitcode'];
        }
        return $state['running'];
    }

    /**
     * Waits up to $seconds until the process accepts connections at $address, such as "unix:///folder/socket". Otherwise stops the process
     * and throws an exception, which says that $name does not start, and contains the file $log.
     */
    public function accepts(string $address, string $name, string $log = '/dev/null', float $seconds = 10): void
    {
        for ($end = microtime(true) + $seconds; @stream_socket_client($address) === false;) {
            if (microtime(true) >= $end || !$this->running()) {
                $this->stop();
                throw new RuntimeException("$name does not start\n" . file_get_contents($log));
            }
            usleep(10000);
        }
    }

    /** Returns the CPU time in seconds of all threads of the process, without its children. */
    public function cpu(): float
    {
        return self::cpuOf($this->pid);
    }

    public static function cpuOf(int $pid): float
    {
        $nanoseconds = 0;
        foreach (glob("/proc/$pid/task/*/schedstat") ?: [] as $file) {
            $nanoseconds += (int) strtok((string) @file_get_contents($file), ' ');
        }
        return $nanoseconds / 1e9;
    }

    /** Waits up to $seconds for the end of the process. Returns its exit status, or null if it still runs. */
    public function wait(float $seconds = 5): ?int
    {
        for ($end = microtime(true) + $seconds; $this->running() && microtime(true) < $end;) {
            usleep(5000);
        }
        return $this->status;
    }

    /** Ends the process, and all processes of its group that still run. */
    public function stop(): void
    {
        if ($this->running()) {
            proc_terminate($this->process, SIGTERM);
            $this->wait(3);
        }
        posix_kill(-$this->pid, SIGKILL);
        $this->wait();
    }
}
