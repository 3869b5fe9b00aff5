<?php
/* A Symfony application whose app and system caches are Symfony's APCu adapters. Its page reads and writes both caches as the query says,
 * and answers "ok" or the error. The test copies this file to Symfony's folder. */

use Psr\Cache\CacheItemPoolInterface;
use Random\Engine\Xoshiro256StarStar;
use Random\Randomizer;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\Cache\Adapter\AdapterInterface;
use Symfony\Component\Cache\Adapter\ApcuAdapter;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Kernel;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

require __DIR__ . '/vendor/autoload.php';

/** A value that tells its key and number. */
final class Value
{
    public readonly string $text;
    public readonly int $sum;
    private array $list;

    public function __construct(public readonly string $key, public readonly int $n)
    {
        /* Random bytes fill the cache, because they do not compress. */
        $this->text = (new Randomizer(new Xoshiro256StarStar(crc32("$key $n"))))->getBytes(32 * (1 + $n % 300));
        $this->list = range($n, $n + 20);
        $this->sum = crc32($this->text);
    }

    public static function good(mixed $value, string $key): bool
    {
        return $value instanceof self && $value->key === $key && $value == new self($key, $value->n) && crc32($value->text) === $value->sum;
    }
}

final class AppKernel extends Kernel
{
    use MicroKernelTrait;

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
    }

    public function getProjectDir(): string
    {
        return __DIR__;
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $container->extension('framework', [
            'secret' => 'none', 'test' => false, 'http_method_override' => false, 'handle_all_throwables' => true, 'php_errors' => ['log' => true],
            'cache' => [
                'app' => 'cache.adapter.apcu', 'system' => 'cache.adapter.apcu', 'prefix_seed' => 'application',
                'pools' => ['tagged' => ['adapter' => 'cache.app', 'tags' => true]],
            ],
        ]);
        $container->services()->alias('app', 'cache.app')->public()->alias('system', 'cache.system')->public()->alias('tags', 'tagged')->public();
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->add('work', '/work/{seed}')->controller([$this, 'work'])->requirements(['seed' => '\d+']);
        $routes->add('pools', '/pools')->controller([$this, 'pools']);
    }

    public function pools(): Response
    {
        $adapter = function (CacheItemPoolInterface $pool): string {
            for (; !$pool instanceof ApcuAdapter && property_exists($pool, 'pool'); $pool = (new ReflectionProperty($pool, 'pool'))->getValue($pool));
            return $pool::class;
        };
        return new Response(implode("\n", array_map(fn (string $id) => "$id: " . $adapter($this->container->get($id)), ['app', 'system', 'tags'])));
    }

    public function work(int $seed): Response
    {
        mt_srand($seed);
        $held = [];
        for ($round = 0; $round < 6; $round++) {
            $n = mt_rand(0, 999);
            foreach (['app', 'system'] as $id) {
                $pool = $this->container->get($id);
                $key = $id . mt_rand(0, 999);
                $held[$key] = $pool->get($key, fn (CacheItem $item): Value => new Value($item->expiresAfter(mt_rand(1, 3))->getKey(), $n));
                match (mt_rand(0, 9)) {
                    0 => $pool->delete($key),
                    1 => $this->several($pool, $id, $n, $held),
                    default => null,
                };
            }
            $this->tagged($this->container->get('tags'), 'tagged' . mt_rand(0, 99), $n, $held);
        }
        $wrong = array_filter($held, fn (mixed $value, string $key) => !Value::good($value, $key), ARRAY_FILTER_USE_BOTH);
        return new Response($wrong ? 'wrong: ' . json_encode(array_keys($wrong)) : 'ok');
    }

    private function several(AdapterInterface $pool, string $id, int $n, array &$held): void
    {
        $keys = array_map(fn (int $i): string => $id . ($n + $i) % 1000, range(1, 5));
        foreach ($pool->getItems($keys) as $key => $item) {
            $item->isHit() ? $held[$key] = $item->get() : $pool->saveDeferred($item->set(new Value($key, $n))->expiresAfter(2));
        }
        $pool->commit();
    }

    private function tagged(TagAwareCacheInterface $pool, string $key, int $n, array &$held): void
    {
        $held[$key] = $pool->get($key, fn (CacheItem $item): Value => new Value($item->tag('tag' . $n % 5)->getKey(), $n));
        if (mt_rand(0, 9) === 0) {
            $pool->invalidateTags(['tag' . $n % 5]);
        }
    }
}

$kernel = new AppKernel('prod', false);
$request = Request::create('/' . $_SERVER['QUERY_STRING']);
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
