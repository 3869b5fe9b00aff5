<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Cache\SessionHandler;
use Larder\Cache\Store;
use Larder\Cache\VolatileStore;

/** PHP's sessions in shared memory: `framework: { session: { handler_id: larder.session } }`. */
final class LarderSessionHandler extends SessionHandler
{
    public function __construct(?Store $store = null)
    {
        parent::__construct($store ?? new VolatileStore('larder.sessions'));
    }

    /** Deletes an empty session: each visitor without a cookie would otherwise leave one. Symfony's own handlers do the same. */
    public function write(string $id, string $data): bool
    {
        $isEmpty = $data === '' || (\function_exists('igbinary_serialize') && $data === igbinary_serialize([]));
        return $isEmpty ? $this->discard($id) : parent::write($id, $data);
    }
}
