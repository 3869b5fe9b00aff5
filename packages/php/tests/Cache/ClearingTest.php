<?php

declare(strict_types=1);

namespace Larder\Tests\Cache;

use Larder\Tests\Work\Php;
use PHPUnit\Framework\TestCase;

/** A command that clears the cache must not say "cleared" if another user's store keeps its entries. */
final class ClearingTest extends TestCase
{
    private const CLEAR = <<<'PHP'
        require $argv[1];
        require $argv[2];
        $logger = new class extends Psr\Log\AbstractLogger {
            public function log($level, string|Stringable $message, array $context = []): void { echo "$level: $message\n"; }
        };
        $pool = new Larder\Symfony\LarderAdapter('app');
        $pool->setLogger($logger);
        echo $pool->clear() ? "Symfony: cleared\n" : "Symfony: not cleared\n";
        $app = new Illuminate\Container\Container();
        $app->instance('config', new Illuminate\Config\Repository(['cache' => ['default' => 'larder', 'stores' => ['larder' => ['driver' => 'larder']]]]));
        $app->instance('events', $events = new Illuminate\Events\Dispatcher($app));
        $app->singleton('cache', fn($app) => new Illuminate\Cache\CacheManager($app));
        (new Larder\Laravel\LarderServiceProvider($app))->register();
        try {
            $app->make('events')->dispatch('cache:clearing', [null, []]);
            echo "Laravel: cleared\n";
        } catch (RuntimeException $error) {
            echo 'Laravel: ', $error->getMessage(), "\n";
        }
        PHP;

    private function clear(Php $php, string ...$flags): string
    {
        $vendor = (getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib') . '/vendor/autoload.php';
        return $php->run(...[...$flags, '-r', self::CLEAR, '--', $vendor, \dirname(__DIR__) . '/polyfill.php', 'cache:pool:clear']);
    }

    public function testTheStoreOfAnotherUserIsNamed(): void
    {
        $php = new Php();
        $this->assertSame("Symfony: cleared\nLaravel: cleared\n", $this->clear($php));
        $own = glob("$php->folder/larder-*")[0] ?? '';
        $uid = substr(basename($own), 7);
        mkdir("$php->folder/larder-4242");
        touch("$php->folder/larder-4242/other-volatile");
        $this->assertSame("Symfony: cleared\nLaravel: cleared\n", $this->clear($php), 'of another scope');
        touch("$php->folder/larder-4242/test-volatile");
        foreach (['once', 'each time'] as $time) {
            $said = $this->clear($php);
            $why = preg_quote("this would clear the store of user $uid only, and ", '/') . '.* \\(?\\d+\\)? ?has one of this larder\\.scope, too\\. Run it as that user\\.';
            $this->assertMatchesRegularExpression("/^warning: The cache of others was not cleared: $why\nSymfony: not cleared\nLaravel: The cache was not cleared: $why\n$/", $said, $time);
        }
    }

    public function testTheUsersThatCannotBeSeenAreNamed(): void
    {
        \function_exists('posix_geteuid') && posix_geteuid() === 0 || self::markTestSkipped('only root can become another user');
        $php = new Php();
        chmod($php->folder, 0777);
        $as = static fn(int $uid): string => $php->run('-r', <<<'PHP'
            posix_setgid((int) $argv[1]);
            posix_setuid((int) $argv[1]);
            Larder\VolatileCache::set('k', 1);
            require $argv[2];
            echo json_encode([Larder\Cache\Clearing::reachesNot(), Larder\Cache\Clearing::unseen()]);
            PHP, '--', (string) $uid, $php->file('Clearing.php', (string) file_get_contents(\dirname(__DIR__, 2) . '/src/Cache/Clearing.php')));
        self::assertSame('[null,null]', $as(54321));
        self::assertSame('[null,"only the store of user 54322 is cleared. Run this as the user whose cache is meant, too, if that is user 54321: whether there is a store of this larder.scope cannot be seen from here."]', $as(54322));
        chmod("$php->folder/larder-54321", 0711);
        self::assertStringContainsString('and user 54321 has one of this larder.scope, too', $as(54322));
    }

    public function testASignalThatNobodyCanSeeIsRefused(): void
    {
        $code = <<<'PHP'
            require $argv[1];
            require $argv[2];
            $store = new Larder\Laravel\LarderStore(new Larder\Cache\VolatileStore('app'));
            $calls = [
                fn() => $store->forever('illuminate:queue:restart', 1),
                fn() => $store->put('illuminate:schedule:interrupt', true, 60),
                fn() => $store->add('framework/schedule-1', true, 60),
                fn() => $store->put('key', 1, 60),
            ];
            foreach ($calls as $call) {
                try {
                    echo json_encode($call()), "\n";
                } catch (Larder\Cache\Exception\LocksUnusable $error) {
                    echo $error->getMessage(), "\n";
                }
            }
            PHP;
        $vendor = (getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib') . '/vendor/autoload.php';
        $run = static fn(string ...$flags): string => (new Php())->run(...[...$flags, '-r', $code, '--', $vendor, \dirname(__DIR__) . '/polyfill.php']);
        $why = 'would reach no other process: without larder.scope each command has a store of its own. Write "larder.scope = NAME" into php.ini, for the command line and for FPM.';
        self::assertSame("\"illuminate:queue:restart\" $why\n\"illuminate:schedule:interrupt\" $why\n\"framework/schedule-1\" $why\ntrue\n", $run('-d', 'larder.path=', '-d', 'larder.scope='));
        self::assertSame("true\ntrue\ntrue\ntrue\n", $run());
    }

    public function testWordPressSaysWhatAFlushReaches(): void
    {
        $code = <<<'PHP'
            foreach (['Clearing', 'Store', 'PinnedStore'] as $name) {
                require "$argv[1]/src/Cache/$name.php";
            }
            define('ABSPATH', '/');
            define('WP_CACHE_KEY_SALT', 's');
            define('WP_CLI', true);
            class WP_CLI { public static function warning(string $text): void { echo "Warning: $text\n"; } }
            function is_multisite() { return false; }
            function wp_suspend_cache_addition() { return false; }
            require "$argv[1]/wordpress/object-cache.php";
            wp_cache_init();
            var_dump(wp_cache_flush());
            PHP;
        $package = \dirname(__DIR__, 2);
        $php = new Php();
        self::assertSame("bool(true)\n", $php->run('-r', $code, '--', $package));
        self::assertSame(
            "Warning: The object cache was not flushed: without larder.scope this command has an empty store of its own. Write \"larder.scope = NAME\" into php.ini, for the command line and for FPM.\nbool(false)\n",
            $php->run('-d', 'larder.path=', '-d', 'larder.scope=', '-r', $code, '--', $package),
        );
    }

    public function testWithoutAScopeACommandClearsNobodysCache(): void
    {
        $why = 'without larder.scope this command has an empty store of its own. Write "larder.scope = NAME" into php.ini, for the command line and for FPM.';
        $this->assertSame(
            "warning: The cache of others was not cleared: $why\nSymfony: not cleared\nLaravel: The cache was not cleared: $why\n",
            $this->clear(new Php(), '-d', 'larder.path=', '-d', 'larder.scope='),
        );
    }
}
