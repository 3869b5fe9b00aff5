<?php

declare(strict_types=1);

/* A Symfony application. The number of a page decides how it uses pools, tags, locks and sessions. The answer contains the values that it
 * has seen. LARDER_DRIVER names the drivers. */

use Larder\Symfony\LarderBundle;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\Cache\Adapter\AdapterInterface;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpKernel\Kernel;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;
use Symfony\Contracts\Cache\ItemInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

if ($_SERVER['REQUEST_URI'] === '/status') {
    exit('ok');
}
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);
$loader = require $_SERVER['LARDER_VENDOR'] . '/autoload.php';
require $_SERVER['LARDER_TESTS'] . '/polyfill.php';
$loader->setPsr4('Larder\\Cache\\', $_SERVER['LARDER_PACKAGE'] . '/Cache');
$loader->setPsr4('Larder\\Symfony\\', $_SERVER['LARDER_PACKAGE'] . '/Symfony');
require __DIR__ . '/Value.php';

final class AppKernel extends Kernel
{
    use MicroKernelTrait;

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
        if ($_SERVER['LARDER_DRIVER'] === 'larder') {
            yield new LarderBundle();
        }
    }

    public function getProjectDir(): string
    {
        return dirname(__DIR__) . '/var';
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $larder = $_SERVER['LARDER_DRIVER'] === 'larder';
        $adapter = $larder ? 'cache.adapter.larder' : 'cache.adapter.filesystem';
        $container->extension('framework', [
            'secret' => 'none', 'test' => false, 'http_method_override' => false, 'handle_all_throwables' => true, 'php_errors' => ['log' => true],
            'cache' => ['app' => $adapter, 'system' => $adapter, 'prefix_seed' => 'application', 'pools' => ['tagged' => ['adapter' => 'cache.app', 'tags' => true]]],
            'lock' => $larder ? 'larder' : 'flock://' . dirname(__DIR__) . '/var',
            'session' => ['handler_id' => $larder ? 'larder.session' : null, 'save_path' => dirname(__DIR__) . '/var', 'storage_factory_id' => 'session.storage.factory.native', 'cookie_secure' => false],
        ]);
        $container->services()->alias('app', 'cache.app')->public()->alias('tags', 'tagged')->public()->alias('locks', 'lock.factory')->public()
            ->set('logger', Psr\Log\NullLogger::class);
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->add('work', '/work/{seed}')->controller([$this, 'work'])->requirements(['seed' => '\d+']);
        $routes->add('session', '/session')->controller([$this, 'session']);
    }

    public function work(int $seed): JsonResponse
    {
        mt_srand($seed);
        [$app, $tags, $locks] = array_map($this->container->get(...), ['app', 'tags', 'locks']);
        assert($app instanceof AdapterInterface && $tags instanceof TagAwareCacheInterface && $locks instanceof LockFactory);
        $seen = $wrong = [];
        $note = function (string $key, mixed $value) use (&$seen, &$wrong): void {
            $seen[] = $value instanceof Value ? $value->n : $value;
            Value::good($value, $key) || $wrong[] = $key;
        };
        for ($i = 0; $i < 6; $i++) {
            $n = mt_rand(0, 999);
            $key = 'k' . mt_rand(0, 60);
            $note($key, $app->get($key, fn(ItemInterface $item): Value => new Value($item->expiresAfter(3600)->getKey(), $n)));
            $key = 't' . mt_rand(0, 60);
            $note($key, $tags->get($key, fn(ItemInterface $item): Value => new Value($item->tag(['a' . $n % 5, 'b'])->getKey(), $n)));
            switch (mt_rand(0, 5)) {
                case 0:
                    $app->delete('k' . mt_rand(0, 60));
                    break;
                case 1:
                    $tags->invalidateTags([mt_rand(0, 9) ? 'a' . $n % 5 : 'b']);
                    break;
                case 2:
                    foreach ($app->getItems(['k1', 'k2', 'k' . mt_rand(0, 60)]) as $key => $item) {
                        $item->isHit() ? $note($key, $item->get()) : $app->saveDeferred($item->set(new Value($key, $n)));
                    }
                    $app->commit();
                    break;
                case 3:
                    $lock = $locks->createLock('lock ' . $n % 3, 60);
                    if ($lock->acquire(true)) { // two pages with the lock at once would give the same number
                        $item = $app->getItem('counter' . $n % 3);
                        $seen[] = $count = 1 + (int) $item->get();
                        $app->save($item->set($count));
                        $lock->release();
                    }
            }
        }
        return new JsonResponse(['wrong' => $wrong, 'seen' => $seen]);
    }

    public function session(Request $request): JsonResponse
    {
        $session = $request->getSession();
        $session->set('count', $count = 1 + $session->get('count', 0));
        $session->set('list', [...$session->get('list', []), $count]);
        return new JsonResponse(['count' => $count, 'list' => $session->get('list')]);
    }
}

$kernel = new AppKernel('prod', false);
$request = Request::createFromGlobals();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
