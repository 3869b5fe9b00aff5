<?php

/* A process on a host. It calls methods of a TieredStore until its input ends. Each line of input names a method and its arguments. Each
 * line of output is an answer; see Hosts::call().
 *
 *   php host.php AUTOLOAD SERVER CLIENT      SERVER: a unix socket, HOST:PORT, tls://HOST:PORT?CAFILE or sentinel://HOST:PORT */

declare(strict_types=1);

use Larder\Cache\Tiered\PhpRedisServer;
use Larder\Cache\Tiered\PredisServer;
use Larder\Cache\Tiered\Server;
use Larder\Cache\Tiered\Tier;
use Larder\Cache\Tiered\TieredStore;

[, $autoload, $server, $client] = $argv;
require $autoload;
// Turn warnings into exceptions, as frameworks do.
set_error_handler(static fn(int $level, string $text): bool => (error_reporting() & $level) !== 0 ? throw new ErrorException($text) : false, E_WARNING | E_NOTICE);
$at = static function () use ($server, $client): Server {
    $uri = parse_url($server);
    $tls = str_starts_with($server, 'tls:');
    $sentinel = str_starts_with($server, 'sentinel:');
    if (!$tls && !$sentinel) {
        [$host, $port] = $server[0] === '/' ? [$server, '0'] : explode(':', $server);
        return $client === 'phpredis' ? PhpRedisServer::at($host, (int) $port) : new PredisServer(new Predis\Client($port === '0' ? "unix:$host" : "tcp://$server"));
    }
    if ($sentinel) {
        return $client === 'phpredis'
            ? new PhpRedisServer(static function () use ($uri): Redis {
                $sentinel = version_compare((string) phpversion('redis'), '6.0', '<') ? [$uri['host'], $uri['port'], 1.0] : [['host' => $uri['host'], 'port' => $uri['port'], 'connectTimeout' => 1.0]];
                [$host, $port] = (new RedisSentinel(...$sentinel))->getMasterAddrByName('service') ?: throw new RedisException('no Sentinel answers');
                $redis = new Redis();
                $redis->connect($host, (int) $port, 1.0, null, 0, 1.0);
                return $redis;
            })
            : new PredisServer(new Predis\Client(["tcp://{$uri['host']}:{$uri['port']}"], ['replication' => 'sentinel', 'service' => 'service', 'parameters' => ['timeout' => 1.0, 'read_write_timeout' => 1.0]]));
    }
    return $client === 'phpredis'
        ? new PhpRedisServer(static function () use ($uri): Redis {
            $redis = new Redis();
            $redis->connect("tls://{$uri['host']}", $uri['port'], 1.0, null, 0, 1.0, ['stream' => ['cafile' => $uri['query']]]);
            return $redis;
        })
        : new PredisServer(new Predis\Client("tls://{$uri['host']}:{$uri['port']}?ssl[cafile]={$uri['query']}"));
};

/** A server that counts reads, and can delay their answers. */
final class SlowServer implements Server
{
    public float $delay = 0;
    public int $reads = 0;

    public function __construct(private readonly Server $server) {}

    public function read(array $keys): array
    {
        $found = $this->server->read($keys);
        $this->reads++;
        usleep((int) ($this->delay * 1e6));
        return $found;
    }

    public function write(array $values, int $milliseconds): void
    {
        $this->server->write($values, $milliseconds);
    }

    public function add(string $key, string $value, int $milliseconds): bool
    {
        return $this->server->add($key, $value, $milliseconds);
    }

    public function delete(array $keys): int
    {
        return $this->server->delete($keys);
    }

    public function deleteIf(string $key, string $value): bool
    {
        return $this->server->deleteIf($key, $value);
    }

    public function expire(string $key, int $milliseconds): bool
    {
        return $this->server->expire($key, $milliseconds);
    }

    public function increment(string $key, int $step, int $milliseconds): ?int
    {
        return $this->server->increment($key, $step, $milliseconds);
    }

    public function clear(string $prefix): void
    {
        $this->server->clear($prefix);
    }
}

$server = new SlowServer($at());
$store = new TieredStore($server, 'test', 'test:', secret: 'of all hosts of the tests');
$more = [
    'delay' => static function (float $seconds) use ($server): void {
        $server->delay = $seconds;
    },
    'reads' => static fn(): int => $server->reads,
    'local' => static fn(string $key): mixed => Tier::pool('test', 'test:')->get($key, 'not here'),
    'error' => static fn(): ?string => ($error = $store->lastError()) === null ? null : $error::class,
    'unserializable' => static fn(string $key): bool => $store->set($key, static fn(): int => 1),
    // Stores a value from the server as a copy without a lease, as a naive tier would do.
    'naive' => static function (string $key) use ($server): bool {
        [$value] = $server->read(["test:$key"])["test:$key"];
        return Tier::pool('test', 'test:')->set($key, $value);
    },
    // Runs a request of WordPress: calls these methods of its object cache, and returns their results. A call that begins with "elsewhere"
    // uses the object cache of another request.
    'wordPress' => static function (array ...$calls) use ($store): array {
        if (!function_exists('wp_cache_init')) {
            foreach (['WP_LARDER_TIER' => $store, 'WP_CACHE_KEY_SALT' => 'one installation', 'ABSPATH' => '/'] as $name => $value) {
                define($name, $value);
            }
            eval('function is_multisite(): bool { return false; } function wp_suspend_cache_addition(): bool { return false; }');
            require dirname(__DIR__, 2) . '/wordpress/object-cache.php';
        }
        wp_cache_init();
        $elsewhere = new Larder_Object_Cache();
        return array_map(static fn(array $call): mixed => $call[0] === 'elsewhere'
            ? $elsewhere->{$call[1]}(...array_slice($call, 2))
            : larder_wp_cache()->{$call[0]}(...array_slice($call, 1)), $calls);
    },
    // Reads keys whose values only grow. Returns the number of reads, the number of reads that found a smaller value than an earlier read,
    // and the largest value of each key.
    'watch' => static function (int $keys, float $seconds) use ($store): array {
        $before = array_fill(0, $keys, 0);
        $reads = $wrong = 0;
        for ($end = hrtime(true) + $seconds * 1e9; hrtime(true) < $end || $reads <= 100; $reads++) {
            $i = mt_rand(0, $keys - 1);
            $value = $store->get("grows $i", 0);
            if ($value < $before[$i]) { // a copy may be out of date for 0.3 s (the bound), so read again after this time
                usleep(300000);
                $value = $store->get("grows $i", 0);
            }
            $wrong += (int) (!is_int($value) || $value < $before[$i]);
            $before[$i] = max($before[$i], (int) $value);
        }
        return [$reads, $wrong, $before];
    },
];
while (($line = fgets(STDIN)) !== false) {
    [$method, $arguments] = unserialize((string) base64_decode($line, true));
    try {
        $answer = isset($more[$method]) ? $more[$method](...$arguments) : $store->$method(...$arguments);
    } catch (Throwable $error) {
        $answer = $error::class . ': ' . $error->getMessage();
    }
    echo base64_encode(serialize($answer)), "\n";
}
