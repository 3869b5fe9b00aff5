<?php

declare(strict_types=1);

namespace Larder\Tests\Cache;

use Larder\Tests\Work\Php;
use PHPUnit\Framework\TestCase;

/** A command that clears a cache does not say "cleared" where entries of others are left. */
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

    public function testWithoutAScopeACommandClearsNobodysCache(): void
    {
        $why = 'without larder.scope this command has an empty store of its own. Write "larder.scope = NAME" into php.ini, for the command line and for FPM.';
        $this->assertSame(
            "warning: The cache of others was not cleared: $why\nSymfony: not cleared\nLaravel: The cache was not cleared: $why\n",
            $this->clear(new Php(), '-d', 'larder.path=', '-d', 'larder.scope='),
        );
    }
}
