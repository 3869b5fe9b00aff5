<?php

declare(strict_types=1);

/* For comparison: the drop-in for APCu on Redis. Its four functions of APCu ask Redis over a Unix socket, with igbinary,
 * and take many keys at once, as drop-ins for Redis do. */

function larder_bench_redis(): Redis
{
    static $redis = null;
    if ($redis === null) {
        $redis = new Redis();
        $redis->pconnect($_SERVER['BENCH_REDIS']);
        $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_IGBINARY);
    }
    return $redis;
}

if (!extension_loaded('apcu')) {
    /** Values lie in arrays of one: false is no miss. */
    function apcu_fetch($key, &$found = null)
    {
        $values = larder_bench_redis()->mget((array) $key);
        $found = is_array($key) || is_array($values[0]);
        if (!is_array($key)) {
            return $found ? $values[0][0] : false;
        }
        return array_map(fn(array $value) => $value[0], array_filter(array_combine($key, $values), is_array(...)));
    }

    function apcu_store(string $key, $value, int $ttl = 0): bool
    {
        return larder_bench_redis()->set($key, [$value], $ttl > 0 ? $ttl : null);
    }

    function apcu_delete($key): bool
    {
        return $key instanceof APCUIterator ? larder_bench_redis()->flushDB() : larder_bench_redis()->del($key) > 0;
    }

    /** All keys of the server, which is this site's alone. */
    final class APCUIterator
    {
        public function __construct(string $pattern) {}
    }
}

require __DIR__ . '/apcu-object-cache.php';
