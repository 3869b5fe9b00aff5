<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Queue\Connectors\ConnectorInterface;

/**
 * Makes queues for `'larder' => ['driver' => 'larder', 'queue' => 'default']` in config/queue.php. Other keys are:
 * - 'retry_after': seconds after which a job may go to another worker (default: only when its worker has died).
 * - 'block_for': seconds that a worker waits for a job (default: 0).
 * - 'after_commit': if true, a job waits until the database transaction in which it was pushed is committed (default: false).
 */
final class LarderConnector implements ConnectorInterface
{
    /** @param array<mixed> $config */
    public function connect(array $config)
    {
        return new LarderQueue(
            LarderServiceProvider::text($config['queue'] ?? null, 'default'),
            self::seconds($config, 'retry_after'),
            self::seconds($config, 'block_for'),
            (bool) ($config['after_commit'] ?? false),
        );
    }

    /** @param array<mixed> $config */
    private static function seconds(array $config, string $name): float
    {
        $value = $config[$name] ?? 0;
        if (!is_numeric($value) || $value < 0) {
            throw new \InvalidArgumentException("$name of a larder queue must be a number of seconds.");
        }
        return (float) $value;
    }
}
