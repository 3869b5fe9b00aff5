<?php

declare(strict_types=1);

/* An application on Debian's Laravel. The number of a page decides how the page uses the cache, tags, locks and sessions. The answer
 * contains the values that the page has seen. LARDER_DRIVER names the drivers. */

use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Http\Request;
use Illuminate\Routing\Router;

if ($_SERVER['REQUEST_URI'] === '/status') {
    exit('ok');
}
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED); // Laravel 8.83 is older than this PHP
set_include_path('/usr/share/php');
require 'Illuminate/autoload.php';
spl_autoload_register(function (string $class): void {
    $file = str_starts_with($class, 'Psr\\Cache\\') ? $_SERVER['LARDER_VENDOR'] . '/psr/cache/src' . strtr(substr($class, 9), '\\', '/') . '.php'
        : $_SERVER['LARDER_PACKAGE'] . strtr(substr($class, 6), '\\', '/') . '.php';
    is_file($file) && require $file;
});
require __DIR__ . '/Value.php';

final class HttpKernel extends Kernel
{
    protected $bootstrappers = [\Illuminate\Foundation\Bootstrap\RegisterFacades::class, \Illuminate\Foundation\Bootstrap\RegisterProviders::class, \Illuminate\Foundation\Bootstrap\BootProviders::class];
    protected $middlewareGroups = ['web' => [\Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse::class, \Illuminate\Session\Middleware\StartSession::class]];
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

@mkdir(dirname(__DIR__) . '/var/bootstrap/cache', 0777, true);
$app = new Application(dirname(__DIR__) . '/var');
$app->useStoragePath(dirname(__DIR__) . '/var');
$larder = $_SERVER['LARDER_DRIVER'] === 'larder';
$app->instance('config', new Illuminate\Config\Repository([
    'app' => ['env' => 'production', 'debug' => false, 'key' => str_repeat('k', 32), 'cipher' => 'AES-256-CBC', 'timezone' => 'UTC', 'locale' => 'en', 'fallback_locale' => 'en', 'aliases' => [], 'url' => 'http://localhost',
        'providers' => array_filter([
            Illuminate\Cache\CacheServiceProvider::class, Illuminate\Cookie\CookieServiceProvider::class, Illuminate\Encryption\EncryptionServiceProvider::class, Illuminate\Filesystem\FilesystemServiceProvider::class,
            Illuminate\Session\SessionServiceProvider::class, Illuminate\View\ViewServiceProvider::class, Illuminate\Translation\TranslationServiceProvider::class, $larder ? Larder\Laravel\LarderServiceProvider::class : null,
        ])],
    'cache' => ['default' => 'it', 'prefix' => 'app', 'stores' => ['it' => $larder ? ['driver' => 'larder'] : ['driver' => 'file', 'path' => dirname(__DIR__) . '/var/cache'], 'array' => ['driver' => 'array']]],
    'session' => ['driver' => $larder ? 'larder' : 'file', 'store' => 'it', 'lifetime' => 120, 'expire_on_close' => false, 'encrypt' => false, 'files' => dirname(__DIR__) . '/var', 'lottery' => [0, 100], 'cookie' => 'session', 'path' => '/', 'domain' => null, 'secure' => false, 'http_only' => true, 'same_site' => 'lax', 'table' => 'x', 'connection' => null],
    'view' => ['paths' => [], 'compiled' => dirname(__DIR__) . '/var'], 'logging' => ['default' => 'null', 'channels' => []],
]));
$app->detectEnvironment(fn(): string => 'production');
$app->singleton(Illuminate\Contracts\Http\Kernel::class, HttpKernel::class);
$app->singleton(ExceptionHandler::class, Handler::class);

function work(int $seed, bool $larder): array
{
    mt_srand($seed);
    $cache = app('cache');
    $seen = $wrong = [];
    $note = function (string $key, mixed $value) use (&$seen, &$wrong): void {
        $seen[] = $value instanceof Value ? $value->n : $value;
        Value::good($value, $key) || $wrong[] = $key;
    };
    for ($i = 0; $i < 6; $i++) {
        $n = mt_rand(0, 999);
        $key = 'k' . mt_rand(0, 60);
        $note($key, $cache->remember($key, 3600, fn(): Value => new Value($key, $n)));
        if ($larder) { // Laravel's file cache has no tags
            $tagged = $cache->tags(['a' . $n % 5, 'b']);
            $tagged->put("t$key", new Value("t$key", $n), 60);
            $value = $tagged->get("t$key");
            $value === null || Value::good($value, "t$key") || $wrong[] = "t$key"; // null: another page may have flushed the entry
            mt_rand(0, 9) || $cache->tags('b')->flush();
        } else {
            mt_rand(0, 9);
        }
        switch (mt_rand(0, 4)) {
            case 0:
                $seen[] = $cache->forget('k' . mt_rand(0, 60));
                break;
            case 1:
                $seen[] = $cache->add('added' . mt_rand(0, 60), $n, 60);
                break;
            case 2:
                $cache->putMany(['k1' => new Value('k1', $n), 'k2' => new Value('k2', $n)], 60);
                foreach ($cache->many(['k1', 'k2']) as $key => $value) {
                    $value === null || $note($key, $value);
                }
                break;
            case 3:
                $cache->lock('lock ' . $n % 3, 60)->block(60, function () use ($cache, $n, &$seen): void {
                    $seen[] = $count = 1 + $cache->get('counter' . $n % 3, 0);
                    $cache->forever('counter' . $n % 3, $count);
                });
        }
    }
    return ['wrong' => $wrong, 'seen' => $seen];
}

$kernel = $app->make(Illuminate\Contracts\Http\Kernel::class);
$router = $app->make(Router::class);
$router->get('/work/{seed}', fn(int $seed) => work($seed, $larder));
$router->get('/session', function (Request $request) {
    $session = $request->session();
    $session->put('count', $count = 1 + $session->get('count', 0));
    $session->push('list', $count);
    return ['count' => $count, 'list' => $session->get('list')];
})->middleware('web');
$response = $kernel->handle($request = Request::capture());
$response->send();
$kernel->terminate($request, $response);
