<?php

declare(strict_types=1);

namespace Larder\Tests\Work;

/** PHP processes that share a named store, which the destructor removes. */
final class Php
{
    public readonly string $folder;

    public function __construct()
    {
        $this->folder = '/dev/shm/larder-work-' . getmypid() . '-' . bin2hex(random_bytes(4));
        mkdir($this->folder, 0700);
    }

    public function __destruct()
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function file(string $name, string $text): string
    {
        file_put_contents("$this->folder/$name", $text);
        return "$this->folder/$name";
    }

    /** @return list<string> */
    public function command(string ...$arguments): array
    {
        preg_match('~ (/\S+/larder\.so)$~m', (string) file_get_contents('/proc/self/maps'), $module);
        $flags = [];
        foreach (['mbstring', 'ctype', 'tokenizer', 'iconv', 'intl', 'pdo', 'pdo_sqlite', 'posix', 'dom', 'xml'] as $extension) {
            if (is_file(\PHP_EXTENSION_DIR . "/$extension.so")) {
                array_push($flags, '-d', "extension=$extension");
            }
        }
        return [\PHP_BINARY, '-n', ...$flags, '-d', "extension={$module[1]}", '-d', "larder.path=$this->folder", '-d', 'larder.scope=test', '-d', 'error_reporting=' . (\E_ALL & ~\E_DEPRECATED & ~\E_USER_DEPRECATED), ...$arguments];
    }

    /** Runs a program, and returns its output, standard error included. */
    public function run(string ...$arguments): string
    {
        $process = $this->start("$this->folder/out", ...$arguments);
        proc_close($process);
        return (string) file_get_contents("$this->folder/out");
    }

    /** Runs code in which `$q` is the queue "work". */
    public function code(string $code): string
    {
        return $this->run('-r', 'use Larder\Queue; $q = Queue::open("work"); ' . $code);
    }

    /** @return resource */
    public function start(string $out, string ...$arguments)
    {
        $process = proc_open($this->command(...$arguments), [['file', '/dev/null', 'r'], ['file', $out, 'w'], ['file', $out, 'a']], $pipes, $this->folder);
        \assert(\is_resource($process));
        return $process;
    }

    /** @param resource $process */
    public static function pid($process): int
    {
        return proc_get_status($process)['pid'];
    }

    /**
     * Sends SIGTERM to a program. Returns the seconds until it has ended by itself.
     *
     * @param resource $process
     */
    public static function terminate($process): float
    {
        $start = microtime(true);
        proc_terminate($process, \SIGTERM);
        $code = proc_close($process);
        return $code === 0 ? microtime(true) - $start : throw new \RuntimeException("its exit code is $code");
    }

    /** @return list<int> */
    public static function children(int $pid): array
    {
        return array_map('intval', preg_split('/ /', (string) @file_get_contents("/proc/$pid/task/$pid/children"), -1, \PREG_SPLIT_NO_EMPTY) ?: []);
    }

    /** Waits up to two minutes until the condition holds. Returns false if it does not. */
    public static function wait(\Closure $condition): bool
    {
        for ($until = microtime(true) + 120; microtime(true) < $until; usleep(10000)) {
            if ($condition()) {
                return true;
            }
        }
        return false;
    }
}
