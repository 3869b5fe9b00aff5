<?php

declare(strict_types=1);

namespace Larder\Tests\Symfony;

use Larder\Symfony\LarderBundle;
use Larder\Symfony\LarderCollector;
use Larder\Symfony\LarderLockStore;
use Larder\Symfony\LarderTagAwareAdapter;
use Larder\VolatileCache;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Psr\Cache\CacheItemPoolInterface;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Bundle\TwigBundle\TwigBundle;
use Symfony\Bundle\WebProfilerBundle\WebProfilerBundle;
use Symfony\Component\Cache\Adapter\TraceableAdapter;
use Symfony\Component\DependencyInjection\Exception\InvalidArgumentException;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Kernel;
use Symfony\Component\Lock\LockFactory;
use Symfony\Component\Lock\Store\FlockStore;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;
use Symfony\Contracts\Cache\CacheInterface;
use Symfony\Contracts\Cache\ItemInterface;
use Symfony\Contracts\Cache\TagAwareCacheInterface;

final readonly class Frozen
{
    public function __construct(public string $text) {}
}

final class TestKernel extends Kernel
{
    use MicroKernelTrait;

    /** @param array<string, mixed> $framework settings that replace or extend the usual ones */
    public function __construct(string $environment, bool $debug, private readonly array $framework = [])
    {
        parent::__construct($environment, $debug);
    }

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
        yield new LarderBundle();
        if ($this->debug) {
            yield new TwigBundle();
            yield new WebProfilerBundle();
        }
    }

    public function getProjectDir(): string
    {
        return sys_get_temp_dir() . '/larder-bundle-test-' . getmypid();
    }

    public function page(CacheInterface $cache, TagAwareCacheInterface $tagged): Response
    {
        $cache->get('list', fn() => [1, 2, 3]);
        $cache->get('object', fn() => new \ArrayObject());
        $cache->get('frozen', fn() => new Frozen('x'));
        $tagged->get('number', fn(ItemInterface $item) => $item->tag('t') ? 5 : 0);
        return new Response('<html><body>page</body></html>');
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $container->extension('framework', array_replace_recursive([
            'secret' => 'none', 'test' => false, 'http_method_override' => false, 'handle_all_throwables' => true, 'php_errors' => ['log' => false],
            'cache' => [
                'app' => 'cache.adapter.larder', 'system' => 'cache.adapter.larder', 'prefix_seed' => 'bundle test',
                'pools' => ['tagged' => ['adapter' => 'cache.app', 'tags' => true, 'public' => true], 'plain' => ['adapter' => 'cache.adapter.larder', 'default_lifetime' => 60, 'public' => true]],
            ],
            'lock' => 'larder',
            'session' => ['handler_id' => 'larder.session', 'storage_factory_id' => 'session.storage.factory.native'],
        ] + ($this->debug ? ['profiler' => ['collect' => true]] : []), $this->framework));
        $services = $container->services();
        $services->alias('app', 'cache.app')->public();
        $services->alias('system', 'cache.system')->public();
        $services->alias('locks', 'lock.factory')->public();
        $services->alias('handler', 'larder.session')->public();
        $services->set('logger', \Psr\Log\NullLogger::class);
        if ($this->debug) {
            $services->alias('panel', 'data_collector.larder')->public();
            $container->extension('web_profiler', ['toolbar' => true]);
        }
        $services->set(self::class)->synthetic();
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->add('page', '/page')->controller([$this, 'page']);
        if ($this->debug) {
            $routes->import('@WebProfilerBundle/Resources/config/routing/profiler.php', 'php')->prefix('/_profiler');
            $routes->import('@WebProfilerBundle/Resources/config/routing/wdt.php', 'php')->prefix('/_wdt');
        }
    }
}

final class BundleTest extends TestCase
{
    private ?TestKernel $kernel = null;

    protected function tearDown(): void
    {
        $folder = $this->kernel?->getProjectDir();
        $this->kernel?->shutdown();
        if ($folder !== null) {
            exec('rm -rf ' . escapeshellarg($folder));
        }
        restore_exception_handler();
    }

    /** @param array<string, mixed> $framework */
    private function boot(bool $debug, array $framework = [], ?string $environment = null): TestKernel
    {
        VolatileCache::clear();
        $this->kernel = new TestKernel($environment ?? ($debug ? 'dev' : 'prod'), $debug, $framework);
        $this->kernel->boot();
        return $this->kernel;
    }

    /** A deployment builds the container anew. Only the system pools must lose the entries of the old code. */
    public function testANewBuildHasSystemPoolsOfItsOwn(): void
    {
        $pools = ['cache' => ['pools' => [
            'mapping' => ['adapter' => 'cache.system', 'public' => true],
            'tagged_mapping' => ['adapter' => 'cache.system', 'tags' => true, 'public' => true],
            'chain' => ['adapters' => ['cache.adapter.array', 'cache.system'], 'public' => true],
        ]]];
        $hits = function () use ($pools): array {
            $found = [];
            foreach (['system', 'mapping', 'tagged_mapping', 'chain', 'app', 'plain', 'tagged'] as $id) {
                $pool = $this->kernel?->getContainer()->get($id);
                \assert($pool instanceof CacheItemPoolInterface);
                $found[$id] = $pool->hasItem('key');
                $pool->save($pool->getItem('key')->set(1));
            }
            return $found;
        };
        $this->boot(false, $pools);
        $folder = $this->kernel?->getCacheDir();
        $this->assertSame([false], array_unique(array_values($hits())));

        $this->kernel = new TestKernel('prod', false, $pools); // another worker with this build
        $this->kernel->boot();
        $this->assertSame([true], array_unique(array_values($hits())));

        exec('rm -rf ' . escapeshellarg((string) $folder));
        clearstatcache();
        $this->kernel = new TestKernel('prod', false, ['secret' => 'new'] + $pools);
        $this->kernel->boot();
        $this->assertSame(
            ['system' => false, 'mapping' => false, 'tagged_mapping' => false, 'chain' => false, 'app' => true, 'plain' => true, 'tagged' => true],
            $hits(),
        );
    }

    public function testPoolsTagsLocksAndSessions(): void
    {
        $container = $this->boot(false)->getContainer();
        $app = $container->get('app');
        $tagged = $container->get('tagged');
        $plain = $container->get('plain');
        $this->assertSame(array_fill(0, 3, LarderTagAwareAdapter::class), [$app::class, $tagged::class, $plain::class]);
        $app->get('key', fn() => 1);
        $tagged->get('key', fn(ItemInterface $item) => $item->tag('t')->getKey());
        $this->assertTrue($tagged->hasItem('key') && $tagged->invalidateTags(['t']) && $app->hasItem('key'));
        $this->assertSame([false, false], [$tagged->hasItem('key'), $plain->hasItem('key')]);

        $locks = $container->get('locks');
        $this->assertInstanceOf(LockFactory::class, $locks);
        $lock = $locks->createLock('bundle');
        $this->assertTrue($lock->acquire());
        $this->assertFalse((new LockFactory(new LarderLockStore()))->createLock('bundle')->acquire());
        $lock->release();

        $handler = $container->get('handler');
        $this->assertTrue($handler->open('', 'PHPSESSID') && $handler->read('id') === '' && $handler->write('id', 'a|i:1;') && $handler->close());
        $this->assertTrue($handler->validateId('id') && !$handler->validateId('other'));
        $this->assertMatchesRegularExpression('/^[0-9a-f]{22,256}$/', $handler->create_sid());
        $this->assertSame('a|i:1;', $handler->read('id'));
        $this->assertTrue($handler->destroy('id') && $handler->close());
    }

    public function testTheDsnOfLocksInTheEnvironment(): void
    {
        $this->boot(false, ['lock' => '%env(LOCK_DSN)%'], 'dsn');
        foreach (['larder' => LarderLockStore::class, 'larder://' => LarderLockStore::class, 'flock' => FlockStore::class] as $dsn => $class) {
            $_ENV['LOCK_DSN'] = $dsn;
            $this->kernel->shutdown();
            $this->kernel->boot();
            $factory = $this->kernel->getContainer()->get('locks');
            $this->assertSame($class, (new \ReflectionProperty($factory, 'store'))->getValue($factory)::class);
        }
        unset($_ENV['LOCK_DSN']);
        $factory = $this->boot(false, ['lock' => 'larder://'], 'literal')->getContainer()->get('locks');
        $this->assertInstanceOf(LarderLockStore::class, (new \ReflectionProperty($factory, 'store'))->getValue($factory));
    }

    /** @param array<string, mixed> $pools */
    #[TestWith([['p' => ['adapter' => 'cache.adapter.larder', 'early_expiration_message_bus' => 'logger']], 'early_expiration_message_bus'])]
    #[TestWith([['p' => ['adapter' => 'plain', 'tags' => true, 'early_expiration_message_bus' => 'logger']], 'early_expiration_message_bus'])]
    #[TestWith([['p' => ['adapter' => 'cache.adapter.larder', 'provider' => 'logger']], 'provider'])]
    #[TestWith([['p' => ['adapter' => 'cache.app', 'tags' => true, 'provider' => 'logger']], 'provider'])]
    #[TestWith([['p' => ['adapters' => ['cache.adapter.array', ['name' => 'cache.adapter.larder', 'provider' => 'logger']]]], 'provider'])]
    public function testAnOptionThatAPoolCannotHaveIsRefusedWhenTheContainerIsBuilt(array $pools, string $option): void
    {
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessageMatches("/^The cache pool \"p\" cannot have \"$option\": [^.]+\\.$/");
        $this->boot(false, ['cache' => ['pools' => $pools]], 'refused' . crc32(serialize($pools)));
    }

    public function testOtherPoolsKeepTheirOptions(): void
    {
        $pools = ['other' => ['adapter' => 'cache.adapter.redis', 'provider' => 'redis://localhost'], 'chain' => ['adapters' => ['cache.adapter.array', 'cache.adapter.larder'], 'tags' => true, 'public' => true]];
        $chain = $this->boot(false, ['cache' => ['pools' => $pools]], 'others')->getContainer()->get('chain');
        $this->assertSame(1, $chain->get('key', fn(ItemInterface $item) => (int) $item->tag('t')->isHit() + 1));
    }

    public function testAnOptionThatIsNullIsNone(): void
    {
        $pools = ['null' => ['adapter' => 'cache.adapter.larder', 'provider' => null, 'early_expiration_message_bus' => null, 'public' => true]];
        $this->assertSame(1, $this->boot(false, ['cache' => ['pools' => $pools]], 'null')->getContainer()->get('null')->get('key', fn(): int => 1));
    }

    public function testThePoolsOfAnApplicationThatIsBuiltAgainAreTheSame(): void
    {
        $this->boot(false)->getContainer()->get('app')->get('key', fn() => 'first');
        $this->kernel->shutdown();
        $this->kernel->boot();
        $this->assertSame('first', $this->kernel->getContainer()->get('app')->get('key', fn() => 'second'));
    }

    public function testThePanelOfTheProfiler(): void
    {
        $kernel = $this->boot(true);
        $this->assertInstanceOf(TraceableAdapter::class, $kernel->getContainer()->get('app'));
        $page = $kernel->getContainer()->get('kernel')->page($kernel->getContainer()->get('app'), $kernel->getContainer()->get('tagged'));
        $this->assertSame(200, $page->getStatusCode());
        $panel = $kernel->getContainer()->get('panel');
        $this->assertInstanceOf(LarderCollector::class, $panel);
        $panel->lateCollect();
        $pools = $panel->getPools();
        $values = array_intersect_key($pools['cache.app']['values'], ['list' => 1, 'object' => 1, 'frozen' => 1]);
        ksort($values);
        $this->assertSame([
            'frozen' => 'resident: built once per worker',
            'list' => 'shared memory, as it is',
            'object' => 'rebuilt from shared memory by each fetch',
        ], $values);
        $this->assertSame(['number' => 'in the entry itself'], $pools['tagged']['values']);
        $this->assertGreaterThanOrEqual(3, $pools['cache.app']['usage']['entries']);
        $this->assertGreaterThan(0, $panel->getVolatile()['entries']);

        $twig = new \Twig\Environment(new \Twig\Loader\ChainLoader([
            new \Twig\Loader\ArrayLoader(['@WebProfiler/Profiler/layout.html.twig' => '{% block toolbar %}{% endblock %}{% block menu %}{% endblock %}{% block panel %}{% endblock %}', '@WebProfiler/Profiler/toolbar_item.html.twig' => '{{ text }}']),
            new \Twig\Loader\FilesystemLoader(\dirname(__DIR__, 2) . '/templates'),
        ]), ['strict_variables' => true]);
        $html = $twig->render('collector.html.twig', ['collector' => unserialize(serialize($panel)), 'profiler_url' => '#']);
        $this->assertStringContainsString('<tr><td class="font-normal">frozen</td><td>resident: built once per worker</td></tr>', $html);
        $this->assertStringContainsString('<b>tagged</b> <span>1 value</span>', $html);
        $this->assertMatchesRegularExpression('/<p>\d+ entr(y|ies), \d+ KiB; in all processes \d+ hits?, \d+ miss(es)?, \d+ writes?\.</', $html);
    }
}
