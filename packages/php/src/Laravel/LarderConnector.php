<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Queue\Connectors\ConnectorInterface;

/**
 * `'larder' => ['driver' => 'larder', 'queue' => 'default']` in config/queue.php. 'retry_after': seconds after which another
 * worker gets a job (none: not while its worker lives); 'block_for': seconds that a worker waits for a job (none).
 */
final class LarderConnector implements ConnectorInterface
{
    /** @param array<mixed> $config */
    public function connect(array $config)
    {
        foreach (['retry_after', 'block_for'] as $name) {
            $value = $config[$name] ?? 0;
            if (!is_numeric($value) || $value < 0) {
                throw new \InvalidArgumentException("$name of a larder queue must be a number of seconds.");
            }
        }
        return new LarderQueue(LarderServiceProvider::text($config['queue'] ?? null, 'default'), (float) ($config['retry_after'] ?? 0), (float) ($config['block_for'] ?? 0));
    }
}
