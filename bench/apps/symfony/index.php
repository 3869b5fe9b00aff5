<?php

declare(strict_types=1);

/* A Symfony application. Its pages take translations, routes, settings, metadata of entities and rows of a query from cache.app.
 * BENCH_CACHE names its adapter; "none" is Symfony's default, which uses files. */

use Larder\Symfony\LarderBundle;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Kernel;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;

if ($_SERVER['REQUEST_URI'] === '/status') {
    exit('ok');
}
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);
$loader = require $_SERVER['BENCH_VENDOR'] . '/autoload.php';
require __DIR__ . '/polyfill.php'; // Debian's Symfony calls functions that this PHP lacks
$loader->setPsr4('Larder\\Cache\\', $_SERVER['BENCH_PACKAGE'] . '/Cache');
$loader->setPsr4('Larder\\Symfony\\', $_SERVER['BENCH_PACKAGE'] . '/Symfony');
require __DIR__ . '/Catalogue.php';

final class AppKernel extends Kernel
{
    use MicroKernelTrait;

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
        if ($_SERVER['BENCH_CACHE'] === 'larder') {
            yield new LarderBundle();
        }
    }

    public function getProjectDir(): string
    {
        return dirname(__DIR__) . '/var';
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $adapter = ['none' => 'cache.adapter.filesystem', 'apcu' => 'cache.adapter.apcu', 'redis' => 'cache.adapter.redis', 'larder' => 'cache.adapter.larder'][$_SERVER['BENCH_CACHE']];
        $container->extension('framework', [
            'secret' => 'none', 'test' => false, 'http_method_override' => false, 'handle_all_throwables' => true, 'php_errors' => ['log' => true],
            'cache' => ['app' => $adapter, 'prefix_seed' => 'application'] + ($_SERVER['BENCH_CACHE'] === 'redis' ? ['default_redis_provider' => 'redis://' . $_SERVER['BENCH_REDIS']] : []),
        ]);
        $container->services()->alias('app', 'cache.app')->public()->set('logger', Psr\Log\NullLogger::class);
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->add('page', '/page/{page}')->controller([$this, 'page'])->requirements(['page' => '\d+']);
    }

    public function page(int $page): Response
    {
        return new Response(Catalogue::page($page, $this->container->get('app')->get(...)));
    }
}

$kernel = new AppKernel('prod', false);
$request = Request::createFromGlobals();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
