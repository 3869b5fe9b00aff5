<?php

declare(strict_types=1);

/* Implements the functions of APCu that Drupal and a drop-in of WordPress call. The functions use Redis, over a Unix socket and with
 * igbinary. So the code that Drupal and the drop-in have for APCu uses Redis. It fetches many keys at once, as modules for Redis do. */

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
    /** Each value is stored in an array with one element, so that a stored false differs from a miss. */
    function apcu_fetch($key, &$found = null)
    {
        $values = $key === [] ? [] : larder_bench_redis()->mget((array) $key);
        $found = is_array($key) || is_array($values[0]);
        if (!is_array($key)) {
            return $found ? $values[0][0] : false;
        }
        return array_map(fn(array $value) => $value[0], array_filter(array_combine($key, $values), is_array(...)));
    }

    function apcu_store($key, $value = null, int $ttl = 0)
    {
        foreach (is_array($key) ? $key : [$key => $value] as $name => $one) {
            larder_bench_redis()->set((string) $name, [$one], $ttl > 0 ? $ttl : null);
        }
        return is_array($key) ? [] : true;
    }

    function apcu_delete($key)
    {
        if (!$key instanceof APCUIterator) {
            return larder_bench_redis()->del((array) $key) > 0;
        }
        foreach (larder_bench_redis()->keys('*') as $name) {
            preg_match($key->pattern, $name) && larder_bench_redis()->del($name);
        }
        return true;
    }

    final class APCUIterator
    {
        public function __construct(public readonly string $pattern)
        {
        }
    }
}
