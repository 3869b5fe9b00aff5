<?php

declare(strict_types=1);

namespace Larder\Tests\Laravel;

use Carbon\Carbon;
use Illuminate\Cache\CacheManager;
use Illuminate\Cache\Repository;
use Illuminate\Config\Repository as Config;
use Illuminate\Container\Container;
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Events\Dispatcher;
use Larder\Cache\Locks;
use Larder\Cache\MemoryStore;
use Larder\Cache\PinnedStore;
use Larder\Cache\VolatileStore;
use Larder\Laravel\LarderServiceProvider;
use Larder\Laravel\LarderSessionHandler;
use Larder\Laravel\LarderStore;
use Larder\PinnedCache;
use Larder\Tests\Cache\Suit;
use Larder\Tests\Cache\Values;
use Larder\Tests\Processes;
use Larder\Tests\Tiered\Hosts;
use Larder\Tests\Work\Php;
use Larder\VolatileCache;
use PHPUnit\Framework\TestCase;

/** Tests the documented contracts of Laravel's cache. The tests also run with Debian's Laravel 8.83. */
final class LaravelTest extends TestCase
{
    private LarderStore $store;
    private Repository $cache;

    protected function setUp(): void
    {
        VolatileCache::clear();
        PinnedCache::clear();
        $app = new class extends Container {
            public function runningUnitTests(): bool
            {
                return true;
            }
        };
        Container::setInstance($app);
        $app->instance('config', new Config(['cache' => ['default' => 'larder', 'prefix' => 'app', 'stores' => ['larder' => ['driver' => 'larder'], 'other' => ['driver' => 'larder', 'prefix' => 'other']]]]));
        $app->instance('events', new Dispatcher($app));
        $app->singleton('cache', fn($app) => new CacheManager($app));
        $app->alias('app', \Illuminate\Contracts\Foundation\Application::class);
        $this->cacheOf($app);
    }

    private function cacheOf(Container $app): void
    {
        // Add the driver here. The closure of Larder's provider needs an Application, but this test has only a Container.
        $manager = $app->make('cache');
        $manager->extend('larder', fn($app, array $config) => $manager->repository(
            new LarderStore(new VolatileStore('laravel.' . ($config['prefix'] ?? 'app')), Locks::pinned(), $config['prefix'] ?? 'app'),
        ));
        $this->cache = $manager->store('larder');
        $store = $this->cache->getStore();
        \assert($store instanceof LarderStore);
        $this->store = $store;
    }

    public function testEveryValueComesBackAsItWas(): void
    {
        foreach (Values::all() as $name => [$value]) {
            $this->assertTrue($this->cache->put('key', $value, 60), $name);
            $this->assertEquals($value, $this->cache->get('key'), $name);
            $this->assertEquals(['key' => $value, 'none' => null], $this->cache->many(['key', 'none']), $name);
            $this->assertTrue($this->cache->tags(['a', 'b'])->put('key', $value, 60), $name);
            $this->assertEquals($value, $this->cache->tags(['a', 'b'])->get('key'), $name);
        }
    }

    public function testWhatCannotBeStoredThrows(): void
    {
        $this->cache->put('key', 'old', 60);
        foreach (Values::unstorable() as $name => [$value]) {
            try {
                $this->cache->put('key', $value, 60);
                $this->fail($name);
            } catch (\TypeError|\Exception $error) {
                $this->assertSame('old', $this->cache->get('key'), $name);
            }
        }
    }

    public function testMissesAndDefaults(): void
    {
        $this->assertNull($this->store->get('none'));
        $this->assertSame(['default', 'computed'], [$this->cache->get('none', 'default'), $this->cache->get('none', fn() => 'computed')]);
        $this->assertSame(['a' => null, '7' => null], $this->store->many(['a', '7']));
        $this->assertFalse($this->cache->has('none'));
        $this->cache->put('key', 1, 60);
        $this->assertTrue($this->cache->has('key'));
        $this->assertSame([1, null], [$this->cache->pull('key'), $this->cache->pull('key')]);
    }

    public function testCountersAndAdd(): void
    {
        $this->assertSame([1, 11, 10, 5], [$this->cache->increment('n'), $this->cache->increment('n', 10), $this->cache->decrement('n'), $this->cache->decrement('n', 5)]);
        $this->cache->forever('text', 'x');
        $this->assertFalse($this->cache->increment('text'));
        $this->assertSame([true, false, 1], [$this->cache->add('new', 1, 60), $this->cache->add('new', 2, 60), $this->cache->get('new')]);
        $this->assertSame([true, false], [$this->cache->tags('t')->add('new', 1), $this->cache->tags('t')->add('new', 2, 60)]);
        $added = Processes::run(8, fn(): array => [$this->cache->add('race', 1, 60), $this->cache->increment('race count')]);
        $this->assertCount(1, array_keys(array_column($added, 0), true, true));
        $counts = array_column($added, 1);
        sort($counts);
        $this->assertSame(range(1, 8), $counts);
    }

    public function testTimes(): void
    {
        $now = 0.0;
        $store = new LarderStore(new MemoryStore(function () use (&$now): float {
            return $now;
        }), new Locks(new MemoryStore()));
        $cache = new Repository($store);
        $cache->put('a', 1, 10);
        $cache->put('b', 2, new \DateInterval('PT20S'));
        $cache->put('c', 3, (new \DateTimeImmutable())->modify('+30 seconds'));
        $cache->putMany(['d' => 4, 'five' => 5], 40);
        $cache->forever('e', 6);
        $cache->put('f', 7);
        $now = 15.0;
        $this->assertSame([null, 2, 3, 4, 5, 6, 7], array_values($cache->many(['a', 'b', 'c', 'd', 'five', 'e', 'f'])));
        $this->assertTrue($store->touch('b', 100));
        $this->assertFalse($store->touch('none', 100));
        $now = 45.0;
        $this->assertSame([2, null, null, null, 6, 7], array_values($cache->many(['b', 'c', 'd', 'five', 'e', 'f'])));
        $cache->put('e', 8, 0);
        $cache->put('f', 8, -5);
        $this->assertSame([null, null], [$cache->get('e'), $cache->get('f')]);
    }

    public function testRememberAndTheRest(): void
    {
        $this->assertSame(['a', 'a'], [$this->cache->remember('key', 60, fn() => 'a'), $this->cache->remember('key', 60, fn() => 'b')]);
        $this->assertSame(['c', 'c'], [$this->cache->rememberForever('other', fn() => 'c'), $this->cache->sear('other', fn() => 'd')]);
        $this->assertSame([true, false], [$this->cache->forget('key'), $this->cache->forget('key')]);
        $this->assertTrue($this->cache->setMultiple(['x' => 1, 'y' => 2], 60) && $this->cache->deleteMultiple(['x', 'y']));
        $this->cache->flush();
        $this->assertNull($this->cache->get('other'));
        $this->assertSame('app', $this->store->getPrefix());
    }

    public function testStoresWithOtherPrefixesAreOtherCaches(): void
    {
        $other = Container::getInstance()->make('cache')->store('other');
        $this->cache->put('key', 1, 60);
        $other->put('key', 2, 60);
        $this->cache->flush();
        $this->assertSame([null, 2], [$this->cache->get('key'), $other->get('key')]);
    }

    /** As in Laravel's other stores, a key or a tag may be an int. */
    public function testKeysAndTagsThatAreInts(): void
    {
        $this->assertTrue($this->cache->put(5, 'five', 60) && $this->cache->has(5));
        $this->assertSame(['five', 'five', [5 => 'five']], [$this->cache->get(5), $this->cache->get('5'), $this->cache->many([5])]);
        $this->assertSame([true, false, 2, 1, true, true, true], [$this->cache->add(6, 1, 60), $this->store->add(6, 1, 60), $this->cache->increment(6), $this->cache->decrement(6), $this->cache->forever(7, 1), $this->store->touch(7, 60), $this->cache->forget(7)]);
        $this->assertSame(['computed', 'five'], [$this->cache->remember(8, 60, fn() => 'computed'), $this->cache->pull(5)]);
        $this->assertTrue($this->cache->tags(['user', 9])->put('a', 1, 60) && $this->cache->tags([10])->put('a', 2, 60));
        $this->cache->tags([9])->flush();
        $this->assertSame([null, 2], [$this->cache->tags(['user', 9])->get('a'), $this->cache->tags(['10'])->get('a')]);
        class_exists(Values::class); // its file also defines the enum Suit
        $this->assertSame([true, false], [$this->cache->tags('t')->add(Suit::Hearts, 1, 60), $this->cache->tags('t')->add('h', 1, 60)]);
    }

    public function testTags(): void
    {
        $this->cache->tags(['people', 'artists'])->put('John', 'painter', 60);
        $this->cache->tags(['people', 'authors'])->put('Anne', 'writer', 60);
        $this->cache->put('John', 'nobody', 60);
        $this->assertSame(['painter', 'writer', 'nobody'], [$this->cache->tags(['people', 'artists'])->get('John'), $this->cache->tags(['people', 'authors'])->get('Anne'), $this->cache->get('John')]);
        $this->assertNull($this->cache->tags(['people'])->get('John'));
        $this->cache->tags('authors')->flush();
        $this->assertSame(['painter', null], [$this->cache->tags('people', 'artists')->get('John'), $this->cache->tags(['people', 'authors'])->get('Anne')]);
        $this->cache->tags(['people'])->flush();
        $this->assertSame([null, 'nobody'], [$this->cache->tags(['people', 'artists'])->get('John'), $this->cache->get('John')]);
        $tagged = $this->cache->tags('t');
        $tagged->putMany(['a' => 1, 'b' => 2], 60);
        $tagged->increment('a');
        $this->assertSame([2, 2, 3], [$tagged->get('a'), $tagged->get('b'), $tagged->remember('c', 60, fn() => 3)]);
    }

    public function testATagThatWasEvictedDoesNotMakeOldEntriesValidAgain(): void
    {
        $this->cache->tags('t')->put('key', 'old', 60);
        $this->store->forget('tag:t:key');
        $this->assertNull($this->cache->tags('t')->get('key'));
        $this->cache->tags('t')->put('other', 1, 60);
        $this->assertNull($this->cache->tags('t')->get('key'));
        $ids = Processes::run(8, fn(): string => (new \Larder\Laravel\LarderTagSet($this->store, ['fresh']))->tagId('fresh'));
        $this->assertCount(1, array_unique($ids));
    }

    public function testLocks(): void
    {
        $lock = $this->cache->lock('l', 60);
        $this->assertTrue($lock->get());
        $this->assertFalse($lock->get() || $this->cache->lock('l', 60)->get());
        $this->assertTrue($this->cache->restoreLock('l', $lock->owner())->release());
        $this->assertFalse($lock->release());
        $this->assertSame('done', $this->cache->lock('l', 60)->get(fn() => 'done'));
        $this->assertTrue($lock->get());
        $this->cache->lock('l')->forceRelease();
        $this->assertTrue($this->cache->lock('l', 60)->get());
        $this->expectException(LockTimeoutException::class);
        $this->cache->lock('l', 60)->block(0);
    }

    public function testNamesAndOwnersOfLocksThatAreInts(): void
    {
        $lock = $this->cache->lock(5, 60, 7);
        $this->assertSame([true, false, false], [$lock->get(), $this->cache->lock('5', 60)->get(), $this->cache->lock(5, 60, 8)->release()]);
        $this->assertSame(['7', true, true], [$lock->owner(), $this->cache->restoreLock(5, 7)->release(), $this->cache->lock(5, 60)->get()]);
    }

    public function testOfProcessesWithOneOwnersNameOneGetsTheLock(): void
    {
        $names = range(1, 100);
        $got = Processes::run(4, fn(): array => array_map(fn(int $name): bool => $this->cache->lock("of all $name", 60, 'owner')->get(), $names));
        foreach ($names as $i => $name) {
            $this->assertCount(1, array_keys(array_column($got, $i), true, true), "lock $name");
        }
    }

    public function testLocksEndAndAreNotFlushed(): void
    {
        $now = 0.0;
        $clock = function () use (&$now): float {
            return $now;
        };
        $store = new LarderStore(new MemoryStore($clock), new Locks(new MemoryStore($clock), $clock));
        $lock = $store->lock('l', 10);
        $this->assertTrue($lock->get());
        $store->flush();
        $now = 9.0;
        $this->assertFalse($store->lock('l', 10)->get());
        $this->assertTrue($lock->refresh(10));
        $now = 18.0;
        $this->assertFalse($store->lock('l', 10)->get());
        $now = 19.5;
        $this->assertTrue($store->lock('l', 10)->get());
        $this->assertFalse($lock->release());
    }

    public function testBlockingLocksInManyProcesses(): void
    {
        $done = Processes::run(4, function (): int {
            for ($n = 0; $n < 10; $n++) {
                $lock = $this->cache->lock('l', 60);
                method_exists($lock, 'betweenBlockedAttemptsSleepFor') && $lock->betweenBlockedAttemptsSleepFor(2);
                $lock->block(60, function (): void {
                    $count = VolatileCache::get('count', 0);
                    usleep(500);
                    VolatileCache::set('count', $count + 1);
                });
            }
            return $n;
        });
        $this->assertSame([10, 10, 10, 10], $done);
        $this->assertSame(40, VolatileCache::get('count'));
    }

    public function testFlexible(): void
    {
        if (!method_exists($this->cache, 'flexible')) {
            $this->markTestSkipped('Laravel 11.23 and later have flexible()');
        }
        $app = Container::getInstance();
        $app->instance(\Illuminate\Support\Defer\DeferredCallbackCollection::class, $deferred = new \Illuminate\Support\Defer\DeferredCallbackCollection());
        Carbon::setTestNow('2026-01-01 00:00:00');
        $this->assertSame(1, $this->cache->flexible('key', [10, 3600], fn() => 1));
        $this->assertSame(1, $this->cache->flexible('key', [10, 3600], fn() => 2));
        Carbon::setTestNow('2026-01-01 00:00:20');
        $this->assertSame(1, $this->cache->flexible('key', [10, 3600], fn() => 3));
        $deferred->invoke();
        $this->assertSame(3, $this->cache->flexible('key', [10, 3600], fn() => 4));
        Carbon::setTestNow();
    }

    public function testSessions(): void
    {
        $handler = new LarderSessionHandler('laravel.app', 60);
        $id = bin2hex(random_bytes(20));
        $this->assertSame(['', true, 'text'], [$handler->read($id), $handler->write($id, 'text'), $handler->read($id)]);
        $this->assertSame('', (new LarderSessionHandler('laravel.other', 60))->read($id));
        $this->cache->flush();
        VolatileCache::clear();
        PinnedCache::clear();
        $handler->gc(1);
        $this->assertSame('text', $handler->read($id));
        $this->assertSame([true, '', true], [$handler->destroy($id), $handler->read($id), $handler->destroy($id)]);
        (new LarderSessionHandler('laravel.app', 1))->write($id, 'short');
        usleep(1100000);
        $this->assertSame('', $handler->read($id));
        $this->expectExceptionMessage('more than larder.session_max_size');
        $handler->write($id, str_repeat('x', 2 << 20));
    }

    public function testSessionsOutliveTheCache(): void
    {
        $app = $this->application();
        $app->singleton('session', static fn($app) => new \Illuminate\Session\SessionManager($app));
        $user = static function (?int $set = null) use ($app): ?int {
            $session = $app->make('session')->driver('larder');
            $session->flush();
            $session->setId(str_repeat('s', 40));
            $session->start();
            if ($set !== null) {
                $session->put('user', $set);
                $session->save();
            }
            return $session->get('user');
        };
        $user(42);
        $app->make('cache')->flush();
        VolatileCache::clear();
        $this->assertSame(42, $user());
    }

    public function testPrefixesThatAreAlikeAreOtherCaches(): void
    {
        $manager = $this->application(['a' => 'a', 'dot' => 'a.', 'none' => '', 'long' => str_repeat('p', 248), 'longest' => str_repeat('p', 247)])->make('cache');
        foreach (['a', 'dot', 'none', 'longest'] as $name) {
            $manager->store($name)->put('key', $name, 60);
        }
        $manager->store('dot')->flush();
        $this->assertSame(['a', null, 'none', 'longest'], array_map(static fn(string $name): mixed => $manager->store($name)->get('key'), ['a', 'dot', 'none', 'longest']));
        $this->expectExceptionMessage("The prefix of a larder store ('prefix' in its array, else cache.prefix) must be at most 247 bytes long, it has 248.");
        $manager->store('long');
    }

    public function testLocksOfOtherPrefixesAreOtherLocks(): void
    {
        $lock = fn(string $prefix, string $name) => (new LarderStore(new VolatileStore('any'), null, $prefix))->lock($name, 60)->get();
        $this->assertTrue($lock('shop', 'eu:import') && $lock('shop:eu', 'import') && $lock('shop%3Aeu', 'import') && $lock('', 'shop:eu:import'));
        $this->assertFalse($lock('shop:eu', 'import'));
    }

    /** @param array<string, string> $prefixes names and prefixes of stores besides "larder" */
    private function application(array $prefixes = []): \Illuminate\Foundation\Application
    {
        if (!class_exists(\Illuminate\Foundation\Application::class) || !class_exists(\PhpOption\Option::class)) {
            $this->markTestSkipped('needs a whole application, as Debian has it');
        }
        $app = new \Illuminate\Foundation\Application(sys_get_temp_dir());
        $app->instance('config', new Config([
            'cache' => ['default' => 'larder', 'prefix' => 'mine', 'stores' => ['larder' => ['driver' => 'larder']] + array_map(static fn(string $prefix): array => ['driver' => 'larder', 'prefix' => $prefix], $prefixes)],
            'session' => ['cookie' => 'c', 'lifetime' => 120],
        ]));
        $app->register(\Illuminate\Cache\CacheServiceProvider::class);
        $app->register(LarderServiceProvider::class);
        return $app;
    }

    public function testNumericStringsAreCounted(): void
    {
        foreach ([new VolatileStore('laravel.numbers'), new MemoryStore()] as $entries) {
            $store = new LarderStore($entries);
            $store->put('n', '5', 60);
            $store->forever('zero', '-1');
            $store->forever('text', 'five');
            $this->assertSame([6, 5, 7, 0, false, 3], [$store->increment('n'), $store->decrement('n'), $store->increment('n', 2), $store->increment('zero'), $store->increment('text'), $store->increment('none', 3)]);
        }
        $this->assertGreaterThan(50, (new VolatileStore('laravel.numbers'))->pool()->keyInfo('n')?->ttl);
        $pool = new VolatileStore('laravel.numbers');
        $pool->set('raced', '10');
        Processes::run(4, static function () use ($pool): int {
            $store = new LarderStore($pool);
            for ($i = 0; $i < 50; $i++) {
                $store->increment('raced');
            }
            return 0;
        });
        $this->assertSame(210, $pool->get('raced'));
    }

    public function testWhatCannotBeRestoredIsCountedAsIfItWereAbsent(): void
    {
        $entries = new VolatileStore('laravel.unreadable');
        $store = new LarderStore($entries);
        $make = 'return new class_of_a_laravel_release();';
        Processes::run(1, static function () use ($entries, $make): void {
            eval('final class class_of_a_laravel_release { public int $a = 1; }');
            foreach (['up', 'down', 'readable'] as $key) {
                $entries->set($key, eval($make));
            }
        });
        eval('final class class_of_a_laravel_release { public int $a = 1; public int $b = 2; }');
        $this->assertNull($store->get('up'));
        $this->assertSame([3, 4, -1, -2], [$store->increment('up', 3), $store->increment('up'), $store->decrement('down'), $store->decrement('down')]);
        $entries->set('readable', eval($make));
        $this->assertFalse($store->increment('readable'));
        $entries->clear();
    }

    /** In Laravel 13, the command `cache:clear --locks` needs a store that implements the interface CanFlushLocks. */
    public function testIsOneThatCanFlushLocksWhereLaravelAsksForIt(): void
    {
        $php = new Php();
        $debian = str_starts_with((string) (new \ReflectionClass(Repository::class))->getFileName(), '/usr/share/');
        $laravel = $debian ? \dirname(__DIR__) . '/bootstrap-debian.php' : Hosts::autoload();
        $code = 'require ' . var_export($laravel, true) . '; %s
            $store = new Larder\Laravel\LarderStore(new Larder\Cache\MemoryStore());
            echo $store instanceof Illuminate\Contracts\Cache\CanFlushLocks ? "asked for" : "not asked for", " ", $store->hasSeparateLockStore() ? "separate" : "one";';
        $contract = 'interface_exists("Illuminate\Contracts\Cache\CanFlushLocks") || eval("namespace Illuminate\\Contracts\\Cache; interface CanFlushLocks { public function flushLocks(): bool; public function hasSeparateLockStore(): bool; }");';
        $this->assertSame('asked for separate', $php->run('-r', sprintf($code, $contract)));
        $known = interface_exists('Illuminate\Contracts\Cache\CanFlushLocks') ? 'asked for' : 'not asked for';
        $this->assertSame("$known separate", $php->run('-r', sprintf($code, '')));
    }

    public function testMemoizedValuesFollowWhatIsWrittenThroughTheMemo(): void
    {
        $manager = Container::getInstance()->make('cache');
        if (!method_exists($manager, 'memo')) {
            $this->markTestSkipped('Laravel 12.9 and later have memo()');
        }
        $memo = $manager->memo('larder');
        $this->cache->put('key', 'old', 60);
        $this->assertSame(['old', null], [$memo->get('key'), $memo->get('none')]);
        $this->cache->put('key', 'another', 60);
        $this->assertSame(['old', null], [$memo->get('key'), $memo->get('none')]);
        $this->assertSame(['key' => 'old', 'none' => null], $memo->many(['key', 'none']));
        $this->assertTrue($memo->put('key', 'new', 60));
        $this->assertSame(['new', 'new'], [$memo->get('key'), $this->cache->get('key')]);
        $this->assertTrue($memo->putMany(['a' => 1, 'b' => 2], 60) && $memo->forever('c', 3));
        $this->assertSame([1, 2, 3], [$memo->get('a'), $memo->get('b'), $memo->get('c')]);
        $this->assertSame([2, 1, 1, 4], [$memo->increment('a'), $memo->decrement('b'), $memo->get('b'), $memo->increment('c')]);
        $this->assertSame([2, 1, 4], array_values($this->cache->many(['a', 'b', 'c'])));
        $this->assertTrue($memo->add('new', 1, 60));
        $this->assertSame([1, false], [$memo->get('new'), $memo->add('new', 2, 60)]);
        $this->assertTrue($memo->forget('key'));
        $this->assertSame([null, null], [$memo->get('key'), $this->cache->get('key')]);
        $this->assertSame('computed', $memo->remember('key', 60, fn() => 'computed'));
        $this->assertSame($this->store->getPrefix(), $memo->getStore()->getPrefix());
        $this->assertTrue($memo->lock('l', 60)->get());
        $this->assertFalse($this->cache->lock('l', 60)->get());
        if (method_exists($memo, 'touch')) {
            $this->assertTrue($memo->touch('key', 600));
        }
        $this->assertTrue($memo->flush());
        $this->assertSame([null, null], [$memo->get('a'), $this->cache->get('a')]);
        $this->assertFalse($this->cache->lock('l', 60)->get());
    }

    public function testAnotherPrefixIsAnotherCacheWithOtherLocks(): void
    {
        $store = new LarderStore(new VolatileStore(LarderServiceProvider::pool('one')), Locks::pinned('laravel test'), 'one');
        $store->put('key', 1, 60);
        $this->assertTrue($store->lock('l', 60)->get());
        $store->setPrefix('two');
        $this->assertSame(['two', null], [$store->getPrefix(), $store->get('key')]);
        $this->assertTrue($store->lock('l', 60)->get() && $store->lock('m', 60)->get());
        $this->assertTrue($store->hasSeparateLockStore() && $store->flushLocks());
        $this->assertTrue($store->lock('l', 60)->get() && $store->lock('m', 60)->get());
        $store->setPrefix('one');
        $this->assertSame([1, false], [$store->get('key'), $store->lock('l', 60)->get()]);
        $this->expectException(\LogicException::class);
        (new LarderStore(new MemoryStore()))->setPrefix('other');
    }

    public function testEventsNameTheStoreAndCanBeOff(): void
    {
        if (!method_exists(\Illuminate\Cache\Repository::class, 'getName')) {
            $this->markTestSkipped('before Laravel 11 events name no store');
        }
        $app = new \Illuminate\Container\Container();
        $app->instance('config', new Config(['cache' => ['prefix' => 'mine', 'stores' => ['loud' => ['driver' => 'larder'], 'quiet' => ['driver' => 'larder', 'events' => false]]]]));
        $events = new \Illuminate\Events\Dispatcher($app);
        $app->instance(\Illuminate\Contracts\Events\Dispatcher::class, $events);
        $heard = [];
        $events->listen('*', static function (string $name, array $data) use (&$heard): void {
            $heard[] = $data[0]->storeName;
        });
        $manager = new \Illuminate\Cache\CacheManager($app);
        (new \ReflectionMethod(LarderServiceProvider::class, 'extendCache'))->invoke(new LarderServiceProvider($app), $manager);
        $manager->store('quiet')->put('key', 1, 60);
        $this->assertSame([], $heard);
        $manager->store('loud')->put('key', 1, 60);
        $this->assertSame(['loud'], array_values(array_unique($heard)));
    }

    public function testOfManyPullsOneGetsTheValue(): void
    {
        $cache = LarderServiceProvider::repository(Container::getInstance()->make('cache'), $this->store, []);
        $this->assertInstanceOf(\Larder\Laravel\LarderRepository::class, $cache);
        for ($round = 0; $round < 20; $round++) {
            $cache->put('token', ['of' => $round], 60);
            $got = Processes::run(8, static fn(): mixed => $cache->pull('token'));
            $this->assertSame([['of' => $round]], array_values(array_filter($got)));
            $cache->tags('t')->put('token', ['of' => $round], 60);
            $got = Processes::run(8, static fn(): mixed => $cache->tags('t')->pull('token'));
            $this->assertSame([['of' => $round]], array_values(array_filter($got)));
        }
        $this->assertSame(['none', 'none', 'none'], [$cache->pull('token', 'none'), $cache->pull('token', fn() => 'none'), $cache->pull(str_repeat('k', 5000), 'none')]);
        foreach ([false, 0, ''] as $value) {
            $cache->put('token', $value, 60);
            $this->assertSame([$value, null], [$cache->pull('token'), $cache->pull('token')]);
        }
        $cache->tags('t')->put('token', 1, 60);
        $this->assertSame([1, null], [$cache->tags('t')->pull('token'), $cache->tags('t')->pull('token')]);
        $cache->put(5, 'five', 60);
        $cache->tags('t')->put(5, 'tagged', 60);
        $this->assertSame(['five', null, 'tagged', null], [$cache->pull(5), $cache->pull(5), $cache->tags('t')->pull(5), $cache->tags('t')->pull(5)]);
    }

    public function testRateLimiter(): void
    {
        $limiter = new \Illuminate\Cache\RateLimiter($this->cache);
        $hits = Processes::run(8, static fn(): array => array_map(static fn() => $limiter->hit('login', 600), range(1, 50)));
        $all = array_merge(...$hits);
        sort($all);
        $this->assertSame(range(1, 400), $all);
        $this->assertSame([400, true, false, 0, 100], [$limiter->attempts('login'), $limiter->tooManyAttempts('login', 400), $limiter->tooManyAttempts('login', 401), $limiter->retriesLeft('login', 400), $limiter->retriesLeft('login', 500)]);
        $this->assertEqualsWithDelta(600, $limiter->availableIn('login'), 60);
        $this->assertFalse($limiter->attempt('login', 400, fn() => $this->fail('too many'), 600));
        $this->assertSame('done', $limiter->attempt('other', 1, fn() => 'done', 600));
        $limiter->clear('login');
        $this->assertSame([0, 0], [$limiter->attempts('login'), $limiter->availableIn('login')]);
    }

    public function testFunnel(): void
    {
        if (!method_exists(Repository::class, 'funnel')) {
            $this->markTestSkipped('this Laravel has no funnels');
        }
        $this->cache->put('most', 0, 60);
        $ran = Processes::run(6, function (): int {
            $ran = 0;
            for ($i = 0; $i < 20; $i++) {
                $this->cache->funnel('pdf')->limit(2)->releaseAfter(600)->block(600)->sleep(1)->then(function () use (&$ran): void {
                    $ran++;
                    $inside = $this->cache->increment('inside');
                    $inside > 2 && $this->cache->increment('most');
                    usleep(200);
                    $this->cache->decrement('inside');
                });
            }
            return $ran;
        });
        $this->assertSame([array_fill(0, 6, 20), 0, 0], [$ran, $this->cache->get('most'), $this->cache->get('inside')]);
        $this->assertSame('full', $this->cache->funnel('pdf')->limit(1)->then(fn() => $this->cache->funnel('pdf')->limit(1)->block(0)->then(fn() => 'in', fn() => 'full')));
    }

    public function testTheServiceProvider(): void
    {
        $app = $this->application();
        $cache = $app->make('cache');
        $cache->put('key', ['a' => 1], 60);
        $this->assertInstanceOf(LarderStore::class, $cache->getStore());
        $this->assertSame(['a' => 1], (new VolatileStore('laravel.mine'))->get('key'));
        $this->assertTrue($cache->lock('l', 10)->get());
        $this->assertTrue((new PinnedStore('larder.locks'))->has('mine:l'));
        // In Octane, the provider may be registered after the cache manager was made.
        $again = new \Illuminate\Foundation\Application(sys_get_temp_dir());
        $again->instance('config', $app->make('config'));
        $again->register(\Illuminate\Cache\CacheServiceProvider::class);
        $again->make('cache');
        $again->register(LarderServiceProvider::class);
        $this->assertSame(['a' => 1], $again->make('cache')->get('key'));
    }

    /**
     * When a request or a job ends, its remaining locks are released. But a job of the driver "sync" runs inside a request or another job,
     * so the end of such a job must release no lock.
     */
    public function testRequestsOfOctaneAndJobsOfWorkersEnd(): void
    {
        $events = $this->application()->make('events');
        $taken = static fn(): bool => !(Processes::run(1, static fn() => VolatileCache::lock('forgotten'))[0] === true);
        $container = new Container();
        $job = new \Illuminate\Queue\Jobs\RedisJob($container, new \Illuminate\Queue\RedisQueue(new class implements \Illuminate\Contracts\Redis\Factory {
            public function connection($name = null): never
            {
                throw new \LogicException('it is not asked');
            }
        }), '{"attempts":0}', '{}', 'redis', 'default');
        $sync = new \Illuminate\Queue\Jobs\SyncJob($container, '{}', 'sync', 'default');
        self::assertTrue(VolatileCache::lock('forgotten'));
        $events->dispatch(new \Illuminate\Queue\Events\JobProcessing('sync', $sync));
        $events->dispatch(new \Illuminate\Queue\Events\JobProcessed('sync', $sync));
        self::assertTrue($taken());
        foreach ([new \Illuminate\Queue\Events\JobProcessed('redis', $job), new \Illuminate\Queue\Events\JobExceptionOccurred('redis', $job, new \Exception()),
            'Laravel\Octane\Events\RequestTerminated', 'Laravel\Octane\Events\TaskTerminated', 'Laravel\Octane\Events\TickTerminated',
            'Laravel\Octane\Events\WorkerErrorOccurred'] as $event) {
            VolatileCache::lock('forgotten');
            self::assertTrue($taken());
            $events->dispatch(new \Illuminate\Queue\Events\JobProcessing('redis', $job));
            $events->dispatch('Laravel\Octane\Events\RequestReceived');
            self::assertTrue($taken());
            $events->dispatch($event);
            self::assertFalse($taken());
        }
    }
}
