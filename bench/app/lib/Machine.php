<?php

declare(strict_types=1);

namespace Bench;

/** The machine on which the figures were measured. */
final class Machine
{
    /** @return array<string, string> */
    public static function facts(): array
    {
        preg_match('/^model name\s*: (.*)$/m', (string) @file_get_contents('/proc/cpuinfo'), $model);
        preg_match('/^MemTotal:\s+(\d+)/m', (string) @file_get_contents('/proc/meminfo'), $memory);
        preg_match('/^PRETTY_NAME="?([^"\n]*)/m', (string) @file_get_contents('/etc/os-release'), $system);
        $facts = [
            'date' => date('Y-m-d H:i'),
            'processor' => $model[1] ?? php_uname('m'),
            'cores' => trim((string) shell_exec('nproc 2>/dev/null')),
            'memory' => round((int) ($memory[1] ?? 0) / 1048576) . ' GiB',
            'system' => ($system[1] ?? PHP_OS) . ', Linux ' . php_uname('r'),
            'Larder' => trim((string) @file_get_contents(dirname(__DIR__, 3) . '/VERSION')),
            'PHP' => PHP_VERSION,
        ];
        foreach (['apcu', 'igbinary', 'memcached', 'redis'] as $extension) {
            $settings = match ($extension) {
                'memcached' => '-d extension=igbinary -d extension=msgpack',
                'redis' => '-d extension=igbinary',
                default => '',
            };
            $facts["ext-$extension"] = self::version(
                escapeshellarg(PHP_BINARY) . " -n $settings -d extension=$extension -r 'echo phpversion(\"$extension\");'",
            );
        }
        $facts['nginx'] = self::version('PATH=$PATH:/usr/sbin nginx -v');
        $facts['redis-server'] = self::version('redis-server --version');
        $facts['memcached'] = self::version('memcached -V');
        return array_filter($facts, fn(string $fact): bool => $fact !== '');
    }

    /** Returns the first version number, such as "1.2.3", in the output of a command. */
    private static function version(string $command): string
    {
        preg_match('/\d+\.\d+[\w.]*/', (string) shell_exec("$command 2>&1"), $found);
        return $found[0] ?? '';
    }
}
