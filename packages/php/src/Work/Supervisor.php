<?php

declare(strict_types=1);

namespace Larder\Work;

/**
 * Keeps a number of processes running. After SIGTERM or SIGINT, each process finishes its message and ends. After SIGHUP, the processes are
 * replaced one by one, so that the new ones load the handler again. If a process fails in its first second, the next process starts a
 * second later.
 */
final class Supervisor
{
    /** @var array<int, float> by the id of a process: the time when the process began */
    private array $workers = [];
    /** @var list<int> the processes that must be replaced */
    private array $old = [];
    private bool $stopping = false;
    private float $next = 0;
    private int $failures = 0;
    /** The number of processes that should run. With --once, a process that ends with EMPTY or UNABLE lowers this number. */
    private int $wanted;

    public function __construct(private readonly Options $options, private readonly \Closure $log)
    {
        $this->wanted = $options->processes;
    }

    public function run(): int
    {
        pcntl_async_signals(true);
        pcntl_signal(\SIGTERM, fn() => $this->stopping = true);
        pcntl_signal(\SIGINT, fn() => $this->stopping = true);
        pcntl_signal(\SIGHUP, fn() => $this->old = array_keys($this->workers));
        pcntl_signal(\SIGCHLD, static fn() => null); // without a handler, the signal would not end usleep()
        while (!$this->stopping) {
            $this->reap();
            if ($this->wanted === 0) {
                break;
            }
            while (\count($this->workers) < $this->wanted && hrtime(true) / 1e9 >= $this->next) {
                $this->start();
            }
            $this->replace();
            usleep(100000);
        }
        return $this->end();
    }

    private function start(): void
    {
        $supervisor = posix_getpid();
        $pid = pcntl_fork();
        if ($pid < 0) {
            ($this->log)('fork failed');
            $this->next = hrtime(true) / 1e9 + 1;
            return;
        }
        if ($pid > 0) {
            $this->workers[$pid] = hrtime(true) / 1e9;
            return;
        }
        foreach ([\SIGTERM, \SIGINT, \SIGHUP, \SIGCHLD] as $signal) {
            pcntl_signal($signal, $signal === \SIGHUP ? \SIG_IGN : \SIG_DFL);
        }
        try {
            $code = Command::work($this->options, $this->log, $supervisor);
        } catch (\Throwable $error) {
            ($this->log)($error::class . ': ' . $error->getMessage());
            $code = Command::UNABLE;
        }
        exit($code);
    }

    private function reap(): void
    {
        while (($pid = pcntl_waitpid(-1, $status, \WNOHANG)) > 0) {
            \assert(\is_int($status));
            $lived = hrtime(true) / 1e9 - ($this->workers[$pid] ?? 0);
            unset($this->workers[$pid]);
            $this->old = array_values(array_diff($this->old, [$pid]));
            $code = pcntl_wifexited($status) ? pcntl_wexitstatus($status) : null;
            // after any other exit code, the queue may still have a message
            $this->wanted -= $this->options->once && \in_array($code, [Command::EMPTY, Command::UNABLE], true) ? 1 : 0;
            $good = $code === 0 || ($this->options->once && $code === Command::EMPTY);
            $this->failures += $good ? 0 : 1;
            if (!$good) {
                ($this->log)(pcntl_wifsignaled($status) ? "process $pid was killed by signal " . pcntl_wtermsig($status) : "process $pid ended with " . pcntl_wexitstatus($status));
            }
            if ($lived < 1 && !$good) {
                $this->next = max($this->next, hrtime(true) / 1e9 + 1);
            }
        }
    }

    /** Replaces the processes one at a time. */
    private function replace(): void
    {
        if ($this->old !== [] && \count($this->workers) === $this->wanted) {
            posix_kill($this->old[0], \SIGTERM);
        }
    }

    private function end(): int
    {
        $until = hrtime(true) / 1e9 + $this->options->grace;
        foreach (array_keys($this->workers) as $pid) {
            posix_kill($pid, \SIGTERM);
        }
        while ($this->workers !== []) {
            $this->reap();
            if (hrtime(true) / 1e9 > $until) {
                array_map(static fn(int $pid) => posix_kill($pid, \SIGKILL), array_keys($this->workers));
            }
            usleep(20000);
        }
        return $this->options->once && $this->failures > 0 ? 1 : 0;
    }
}
