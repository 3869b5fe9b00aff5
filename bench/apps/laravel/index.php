<?php

declare(strict_types=1);

/* An application on Debian's Laravel. Its pages take translations, routes, settings, metadata of entities and rows of a query from
 * Cache::rememberForever(). BENCH_CACHE names the store; "none" is Laravel's default, which uses files. */

use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Http\Request;
use Illuminate\Routing\Router;

if ($_SERVER['REQUEST_URI'] === '/status') {
    exit('ok');
}
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED); // Debian's Laravel 8.83 calls functions that this PHP has deprecated
set_include_path('/usr/share/php');
require 'Illuminate/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = str_starts_with($class, 'Psr\\Cache\\') ? $_SERVER['BENCH_VENDOR'] . '/psr/cache/src' . strtr(substr($class, 9), '\\', '/') . '.php'
        : $_SERVER['BENCH_PACKAGE'] . strtr(substr($class, 6), '\\', '/') . '.php';
    is_file($file) && require $file;
});
require __DIR__ . '/Catalogue.php';

final class HttpKernel extends Kernel
{
    protected $bootstrappers = [\Illuminate\Foundation\Bootstrap\RegisterFacades::class, \Illuminate\Foundation\Bootstrap\RegisterProviders::class, \Illuminate\Foundation\Bootstrap\BootProviders::class];
}

final class Handler extends \Illuminate\Foundation\Exceptions\Handler
{
    public function report(Throwable $e): void
    {
        error_log((string) $e);
    }

    public function render($request, Throwable $e)
    {
        return new \Illuminate\Http\Response("Uncaught $e", 500);
    }
}

$folder = dirname(__DIR__) . '/var';
@mkdir("$folder/bootstrap/cache", 0777, true);
$app = new Application($folder);
$app->useStoragePath($folder);
$cache = $_SERVER['BENCH_CACHE'];
$app->instance('config', new Illuminate\Config\Repository([
    'app' => ['env' => 'production', 'debug' => false, 'key' => str_repeat('k', 32), 'cipher' => 'AES-256-CBC', 'timezone' => 'UTC', 'locale' => 'en', 'fallback_locale' => 'en', 'aliases' => [], 'url' => 'http://localhost',
        'providers' => array_filter([
            Illuminate\Cache\CacheServiceProvider::class, Illuminate\Encryption\EncryptionServiceProvider::class, Illuminate\Filesystem\FilesystemServiceProvider::class, Illuminate\View\ViewServiceProvider::class,
            $cache === 'redis' ? Illuminate\Redis\RedisServiceProvider::class : null, $cache === 'larder' ? Larder\Laravel\LarderServiceProvider::class : null,
        ])],
    'cache' => ['default' => $cache, 'prefix' => 'app', 'stores' => ['none' => ['driver' => 'file', 'path' => "$folder/cache"], 'apcu' => ['driver' => 'apc'], 'redis' => ['driver' => 'redis', 'connection' => 'default'], 'larder' => ['driver' => 'larder']]],
    'database' => ['redis' => ['client' => 'phpredis', 'options' => ['prefix' => ''], 'default' => ['host' => $_SERVER['BENCH_REDIS'], 'port' => 0, 'database' => 0, 'persistent' => true]]],
    'view' => ['paths' => [], 'compiled' => $folder], 'logging' => ['default' => 'null', 'channels' => []],
]));
$app->detectEnvironment(fn(): string => 'production');
$app->singleton(Illuminate\Contracts\Http\Kernel::class, HttpKernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);
$kernel = $app->make(Illuminate\Contracts\Http\Kernel::class);
$app->make(Router::class)->get('/page/{page}', fn(int $page) => Catalogue::page($page, app('cache')->rememberForever(...)));
$response = $kernel->handle($request = Request::capture());
$response->send();
$kernel->terminate($request, $response);
