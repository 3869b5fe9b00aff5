<?php

/* serve.php - one web request of run.php, in PHP's built-in server: reads some keys of the trace from the store, and makes and stores each
 * missing value. Settings come from the environment variable HITS. Prints JSON: the numbers of hits, of refused stores, of compared hits and
 * of wrong values; and the CPU seconds for making and comparing values. */

declare(strict_types=1);

use Bench\Hits\Values;

require __DIR__ . '/Values.php';
require dirname(__DIR__) . '/php/conductor.php';

/**
 * Compare a hit if its index in the trace is a multiple of this number. The number is a prime, so that in a periodic trace the compared
 * hits fall on all parts of the period.
 */
const CHECK = 61;

/**
 * @return array{Closure(string): mixed, Closure(string, mixed): bool} a function that fetches a value, and returns null for a miss; and one that
 * stores a value
 */
function store(string $name, string $socket): array
{
    switch ($name) {
        case 'nothing': // no store: measures the work of the benchmark itself
            return [fn(string $key): mixed => true, fn(string $key, mixed $value): bool => true];
        case 'larder':
        case 'packed':
            return [Larder\VolatileCache::get(...), Larder\VolatileCache::set(...)];
        case 'apcu':
            return [fn(string $key): mixed => ($value = apcu_fetch($key, $found)) !== null && $found ? $value : null, apcu_store(...)];
        case 'memcached':
            $server = new Memcached('hits');
            if ($server->getServerList() === []) {
                $server->addServer($socket, 0);
                $server->setOption(Memcached::OPT_SERIALIZER, Memcached::SERIALIZER_IGBINARY);
            }
            return [fn(string $key): mixed => ($value = $server->get($key)) === false ? null : $value, $server->set(...)];
        case 'redis':
            $server = new Redis();
            $server->pconnect($socket);
            $server->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_IGBINARY);
            $server->setOption(Redis::OPT_COMPRESSION, Redis::COMPRESSION_LZ4);
            return [fn(string $key): mixed => ($value = $server->get($key)) === false ? null : $value, $server->set(...)];
    }
    throw new InvalidArgumentException("no store is called $name");
}

['store' => $name, 'socket' => $socket, 'mix' => $mix, 'trace' => $trace] = json_decode((string) getenv('HITS'), true);
[$fetch, $store] = store($name, $socket);
$at = (int) $_GET['at'];
$keys = unpack('V*', (string) file_get_contents($trace, false, null, $at * 4, (int) $_GET['count'] * 4));
$hits = $refused = $wrong = $compared = 0;
$making = 0.0;
foreach ($keys as $n => $id) {
    $value = $fetch("value:$id");
    if ($value === null) {
        $began = cpu();
        $value = Values::make($mix, $id);
        $making += cpu() - $began;
        $refused += (int) !$store("value:$id", $value);
        continue;
    }
    $hits++;
    if (($at + $n) % CHECK === 0 && $name !== 'nothing') {
        $began = cpu();
        $compared++;
        $wrong += (int) (serialize($value) !== serialize(Values::make($mix, $id)));
        $making += cpu() - $began;
    }
}
echo json_encode([$hits, $refused, $wrong, $compared, $making / 1e9]);
