<?php

declare(strict_types=1);

namespace Larder\Tests\Tiered;

use Larder\Cache\ItemPool;
use Larder\Cache\Locks;
use Larder\Cache\SimpleCache;
use Larder\Cache\Tiered\Breaker;
use Larder\Cache\Tiered\OnFailure;
use Larder\Cache\Tiered\ServerFailure;
use Larder\Cache\Tiered\Tier;
use Larder\Cache\Tiered\TieredStore;
use Larder\Laravel\LarderStore;
use Larder\Symfony\LarderTagAwareAdapter;
use Larder\Tests\Cache\Fussy;
use Larder\Tests\Cache\Values;
use Larder\Tests\Processes;
use Larder\Tests\Work\Php;
use PHPUnit\Framework\TestCase;
use Psr\Log\AbstractLogger;

/** Tests what this library's caches return when the server of their tier does not answer. */
final class FailuresTest extends TestCase
{
    private const SECRET = 'of all hosts of the tests';

    private ArrayServer $server;
    private TieredStore $store;

    protected function setUp(): void
    {
        $this->server = new ArrayServer();
        $this->store = new TieredStore($this->server, 'failures', 'f:', secret: self::SECRET);
    }

    public function testWhatTheServerWasNotToldIsNotGone(): void
    {
        $simple = new SimpleCache($this->store);
        $pool = new ItemPool($this->store, hierarchical: true);
        $symfony = new LarderTagAwareAdapter($this->store);
        $locks = new Locks($this->store);
        $locks->acquire('lock', 'me', null);
        $this->assertTrue($simple->setMultiple(['a' => 1, 'b' => 2]));
        $this->assertTrue($pool->save($pool->getItem('item')->set(3)->setTags(['tag'])));
        $this->assertTrue($symfony->save($symfony->getItem('symfony')->set(4)->tag('tag')));
        $changes = [
            'delete' => fn(): bool => $simple->delete('a'),
            'deleteMultiple' => fn(): bool => $simple->deleteMultiple(['a', 'b', 'a']),
            'a time that is over' => fn(): bool => $simple->set('a', 5, 0),
            'deleteItem' => fn(): bool => $pool->deleteItem('item'),
            'a level' => fn(): bool => $pool->deleteItem('|level'),
            'invalidateTags' => fn(): bool => $pool->invalidateTags(['tag']),
            'an item that has ended' => fn(): bool => $pool->save($pool->getItem('item')->set(3)->expiresAfter(-1)),
            "Symfony's delete" => fn(): bool => $symfony->delete('symfony'),
            "Symfony's tags" => fn(): bool => $symfony->invalidateTags(['tag']),
            'a sub-namespace' => fn(): bool => $symfony->withSubNamespace('sub')->clear(),
        ];
        $this->server->down = true;
        foreach ($changes as $what => $change) {
            $this->assertFalse($change(), $what);
        }
        $this->server->down = false;
        $this->assertSame([1, 2, true, true, ['me']], [$simple->get('a'), $simple->get('b'), $pool->hasItem('item'), $symfony->hasItem('symfony'), $locks->owners('lock')]);
        foreach (['once', 'once more, where nothing is there'] as $time) {
            foreach ($changes as $what => $change) {
                $this->assertTrue($change(), "$what, $time");
            }
        }
        $this->assertSame([null, null, false, false], [$simple->get('a'), $simple->get('b'), $pool->hasItem('item'), $symfony->hasItem('symfony')]);
    }

    /** The server may send the invalidation of an expired key late. So the copy must end by itself. */
    public function testACopyDoesNotOutliveTheEntryOfALateAnswer(): void
    {
        $local = Tier::pool('failures', 'f:');
        $local->begin(60);
        $local->fill(Tier::UP, 1, (string) $local->lease(Tier::UP));
        foreach (['get' => fn(string $key): mixed => $this->store->get($key), 'getMultiple' => fn(string $key): mixed => $this->store->getMultiple([$key])[$key]] as $how => $read) {
            $this->assertTrue($this->store->set("short $how", 'old', 0.2) && $this->store->set("long $how", 'old', 60) && $this->store->set("endless $how", 'old'));
            $this->server->late = 0.4;
            foreach (['short' => null, 'long' => 'old', 'endless' => 'old'] as $life => $copy) {
                $this->assertSame('old', $read("$life $how"));
                $this->assertSame($copy, $local->get("$life $how"), "$life $how");
            }
            $this->server->late = 0;
            $this->assertLessThanOrEqual(59.6, $local->keyInfo("long $how")?->ttl);
            $this->assertNull($read("short $how"));
        }
        $local->clear();
    }

    /** Each of two processes computes a value that needs the other's value. Neither process may wait for the other. */
    public function testNestedValuesCrosswise(): void
    {
        $store = $this->store;
        $seconds = 100.0;
        // The machine may stall during a try, so a single fast try is enough to pass.
        for ($try = 1; $try <= 5 && $seconds >= TieredStore::WAIT; $try++) {
            $answers = Processes::run(2, static function (int $i) use ($store, $try): array {
                $keys = $i === 0 ? ["a$try", "b$try"] : ["b$try", "a$try"];
                return $store->remember($keys[0], static function () use ($store, $keys, $try): array {
                    \Larder\VolatileCache::increment("crosswise$try");
                    while (\Larder\VolatileCache::get("crosswise$try") < 2) {
                        usleep(100);
                    }
                    $from = hrtime(true);
                    return [$keys[0], $store->remember($keys[1], static fn(): string => $keys[1]), (hrtime(true) - $from) / 1e9];
                });
            });
            $seconds = max(array_column($answers, 2));
        }
        $this->assertLessThan(TieredStore::WAIT, $seconds);
        $this->assertSame([['a', 'b'], ['b', 'a']], array_map(static fn(array $answer): array => [$answer[0][0], $answer[1][0]], $answers));
    }

    public function testALockDoesNotWaitForAServerThatIsDown(): void
    {
        $locks = new Locks($this->store);
        $this->assertTrue($locks->acquire('lock', 'me', null));
        $this->server->down = true;
        $this->server->calls = 0;
        $this->assertSame([false, false], [$locks->acquire('lock', 'me', 5.0), $locks->release('lock', 'me')]);
        $this->assertSame(2, $this->server->calls);
        $this->server->down = false;
        $this->assertSame(['me'], $locks->owners('lock'));
        $this->assertTrue($locks->release('lock', 'me'));
    }

    public function testAProcessForkedMeanwhileDoesNotEndALock(): void
    {
        $this->assertTrue($this->store->lock('lock'));
        $this->assertSame([[false, 1]], Processes::run(1, fn(): array => [$this->store->unlock('lock'), $this->server->calls]));
        $this->assertTrue($this->store->unlock('lock'));
    }

    public function testAServerThatHangsIsNotAskedAgainForASecond(): void
    {
        [$seconds, $answers, $asked, $afterwards] = [100.0, [], [], []];
        for ($try = 1; $try <= 10 && $seconds >= 0.5; $try++) { // one fast try is enough, because the machine may stall
            $this->assertTrue($this->store->set('key', 'value') && $this->store->lock('lock'));
            [$this->server->down, $this->server->timeout, $this->server->calls] = [true, 0.15, 0];
            $this->assertNull($this->store->get('key'));
            $from = hrtime(true);
            $answers = [$this->store->get('key', 'default'), $this->store->set('key', 'newer'), $this->store->delete('key'), $this->store->lock('other'), $this->store->increment('n')];
            $asked = [$this->server->calls, $this->store->lastError()?->getMessage()];
            $this->server->down = false;
            $afterwards = [$this->store->get('key'), $this->store->unlock('lock')];
            $seconds = (hrtime(true) - $from) / 1e9;
            usleep(1000000);
        }
        $this->assertLessThan(0.5, $seconds);
        $this->assertSame(['default', false, false, false, false], $answers);
        $this->assertSame([1, 'The server is not asked, as it took long to fail: the server is down'], $asked);
        $this->assertSame([null, true], $afterwards);
        $this->assertSame('value', $this->store->get('key'));
    }

    public function testAServerThatTakesLongToRefuseAValueIsAskedAgain(): void
    {
        $this->assertTrue($this->store->set('key', 'value'));
        [$this->server->refuses, $this->server->timeout] = [true, 0.15];
        $this->assertFalse($this->store->set('key', 'too large'));
        $this->server->refuses = false;
        $this->assertTrue($this->store->delete('key'));
        $this->assertNull($this->store->get('key'));
    }

    public function testTheCachesSayWhy(): void
    {
        $simple = new SimpleCache($this->store);
        $pool = new ItemPool($this->store);
        $symfony = new LarderTagAwareAdapter($this->store);
        $logger = new class extends AbstractLogger {
            public string $said = '';

            public function log($level, \Stringable|string $message, array $context = []): void
            {
                $this->said .= $message;
            }
        };
        $symfony->setLogger($logger);
        $this->server->down = true;
        /*
         * After a failure that took long, calls fail for Breaker::REST seconds without asking the server. On a busy machine, any failure
         * may take long, so try again after that time.
         */
        for ($try = 0; $try < 20; $try++) {
            $logger->said = '';
            $this->assertSame([false, false, false], [$simple->set('a', 1), $pool->save($pool->getItem('a')->set(1)), $symfony->save($symfony->getItem('a')->set(1))]);
            $said = [$simple->lastError()?->getMessage(), $pool->lastError()?->getMessage(), $logger->said];
            if (!str_contains(implode($said), 'The server is not asked')) {
                break;
            }
            usleep((int) (Breaker::REST * 1e6));
        }
        $this->assertSame(['the server is down', 'the server is down', 'Failed to save key "{key}" of type {type}: the server is down'], $said);
    }

    /** A lock's entry may have an old copy on this host, so Locks must read it from the server. */
    public function testALockIsWhatTheServerHas(): void
    {
        $this->vouch('failures');
        $here = new Locks($this->store);
        $elsewhere = new Locks(new TieredStore($this->server, 'failures elsewhere', 'f:', secret: self::SECRET));
        $this->assertTrue($here->acquire('lock', 'me', 0.01));
        $here->owners('lock');
        $this->store->get('lock'); // this read leaves a copy on this host
        usleep(20000);
        $this->assertTrue($elsewhere->acquire('lock', 'you', null));
        $this->assertFalse($here->acquire('lock', 'me', null));
        $this->assertSame(['you'], $here->owners('lock'));
    }

    /** The clocks of the hosts jump, and differ by more than the time to live. */
    public function testTheServersClockEndsLocks(): void
    {
        $this->server->now = 1000;
        $hosts = [];
        foreach (['one' => 0, 'other' => 3600] as $name => $differs) {
            $hosts[] = new Locks(new TieredStore($this->server, "failures $name", 'f:'), static fn(): float => microtime(true) + $differs);
        }
        [$one, $other] = $hosts;
        $this->assertTrue($one->acquire('l', 'a', 5));
        $this->assertFalse($other->acquire('l', 'b', 5));
        $this->server->now += 4;
        $this->assertFalse($other->acquire('l', 'b', 5));
        $this->assertTrue($one->prolong('l', 'a', 5));
        $this->server->now += 4;
        $this->assertSame([['a'], false], [$other->owners('l'), $other->acquire('l', 'b', 5)]);
        $this->server->now += 1.5;
        $this->assertSame([[], true, false], [$one->owners('l'), $other->acquire('l', 'b', 5), $one->prolong('l', 'a', 5)]);
        // Each owner has a time to live of its own. The entry lives as long as its last owner.
        $this->assertTrue($one->share('s', 'short', 5) && $other->share('s', 'long', 20) && $one->share('s', 'ever', null));
        $this->server->now += 6;
        $this->assertSame(['long', 'ever'], $one->owners('s'));
        $this->assertTrue($one->release('s', 'ever'));
        $this->server->now += 15;
        $this->assertTrue($one->acquire('s', 'a', 5));
    }

    public function testALockThatTheServerDidNotShowIsNotTaken(): void
    {
        $locks = new Locks($this->store);
        $this->assertTrue($locks->acquire('lock', 'you', null));
        $this->server->lostReads = 1;
        $this->assertFalse($locks->acquire('lock', 'me', null));
        $this->assertSame(['you'], $locks->owners('lock'));
    }

    /** Marks this host's copies as valid, as larder-sync does. */
    private function vouch(string $tier): void
    {
        $pool = Tier::pool($tier, 'f:');
        $pool->begin(60);
        $pool->fill(Tier::UP, 1, (string) $pool->lease(Tier::UP));
    }

    public function testWhatCannotBeStoredThrowsATypeError(): void
    {
        $this->store->set('key', 'old');
        foreach (Values::unstorable() as $name => [$value]) {
            try {
                $this->store->set('key', $value);
                $this->fail("$name was stored");
            } catch (\TypeError) {
                $this->assertSame('old', $this->store->get('key'), $name);
            }
        }
    }

    public function testAResourceIsFoundBesideCycles(): void
    {
        $cycle = [new \stdClass(), 'a' => 1];
        $cycle['self'] = [&$cycle, &$cycle];
        $cycle[0]->object = $cycle[0];
        $this->assertTrue($this->store->set('key', $cycle));
        $cycle['last'] = STDIN;
        $this->expectException(\TypeError::class);
        $this->store->set('key', $cycle);
    }

    public function testAKeyThatTheTierCannotHaveIsThePsrsException(): void
    {
        $simple = new SimpleCache($this->store);
        $pool = new ItemPool($this->store);
        $symfony = new LarderTagAwareAdapter($this->store);
        $calls = [
            fn() => $simple->get("\0a"), fn() => $simple->set("\0a", 1), fn() => $simple->has("\0a"), fn() => $simple->delete("\0a"),
            fn() => $simple->getMultiple(["\0a"]), fn() => $simple->setMultiple(["\0a" => 1]), fn() => $simple->deleteMultiple(["\0a"]),
            fn() => $pool->getItem("\0a"), fn() => $pool->hasItem("\0a"), fn() => iterator_to_array($pool->getItems(["\0a"])), fn() => $pool->deleteItem("\0a"),
            fn() => $symfony->getItem("\0a"), fn() => $symfony->delete("\0a"), fn() => $symfony->get("\0a", fn() => 1),
        ];
        foreach ($calls as $i => $call) {
            try {
                $call();
                $this->fail("$i was done");
            } catch (\Throwable $error) {
                $this->assertInstanceOf($i < 7 ? \Psr\SimpleCache\InvalidArgumentException::class : \Psr\Cache\InvalidArgumentException::class, $error, (string) $i);
            }
        }
    }

    public function testLaravelsTagsSayThatTheyAreNotFlushed(): void
    {
        class_exists(\Illuminate\Cache\Repository::class) || $this->markTestSkipped('Laravel is not installed');
        $cache = new \Illuminate\Cache\Repository(new LarderStore($this->store));
        $this->assertTrue($cache->tags(['a', 'b'])->put('key', 1, 60));
        $this->server->down = true;
        $this->assertFalse($cache->tags(['a', 'b'])->flush());
        $this->server->down = false;
        $this->assertSame(1, $cache->tags(['a', 'b'])->get('key'));
        $this->assertSame([true, true], [$cache->tags(['a', 'b'])->flush(), $cache->tags(['none'])->flush()]);
        $this->assertNull($cache->tags(['a', 'b'])->get('key'));
    }

    public function testAnUnknownHostIsAFailureAndNoWarning(): void
    {
        is_file(\PHP_EXTENSION_DIR . '/redis.so') || $this->markTestSkipped('phpredis is not installed');
        $autoload = (getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib') . '/vendor/autoload.php';
        is_file($autoload) || $this->markTestSkipped('needs what Composer installs');
        $code = "require '$autoload'; try { Larder\\Cache\\Tiered\\PhpRedisServer::at('nowhere.invalid')->read(['key']); } catch (Larder\\Cache\\Tiered\\ServerFailure \$failure) { echo 'a failure'; }";
        $igbinary = is_file(\PHP_EXTENSION_DIR . '/igbinary.so') ? ['-d', 'extension=igbinary'] : []; // Debian's phpredis needs igbinary
        $this->assertSame('a failure', (new Php())->run(...[...$igbinary, '-d', 'extension=redis', '-r', $code]));
    }

    public function testAValueWhoseHookThrowsIsThereForWhoeverSeesWhatItThrows(): void
    {
        class_exists(Values::class); // its file also defines the class Fussy
        $simple = new SimpleCache($this->store);
        $this->assertTrue($simple->set('fussy', new Fussy()));
        $this->assertSame([true, false, false], [$this->store->has('fussy'), $simple->has('fussy'), $simple->has('none')]);
        $this->assertSame('default', $simple->get('fussy', 'default'));
        $this->assertFalse((new ItemPool($this->store))->hasItem('fussy'));
    }

    public function testAStoreThatIsToThrowThrowsThroughTheCaches(): void
    {
        $store = new TieredStore($this->server, 'failures', 'f:', OnFailure::Throw, self::SECRET);
        $simple = new SimpleCache($store);
        $pool = new ItemPool($store);
        $symfony = new LarderTagAwareAdapter($store);
        $item = $pool->getItem('item')->set(1);
        $ofSymfony = $symfony->getItem('item')->set(1);
        $calls = [
            'get' => fn(): mixed => $simple->get('a'),
            'get with a default' => fn(): mixed => $simple->get('a', 1),
            'getMultiple' => fn(): mixed => $simple->getMultiple(['a', 'b']),
            'set' => fn(): mixed => $simple->set('a', 1),
            'setMultiple' => fn(): mixed => $simple->setMultiple(['a' => 1]),
            'delete' => fn(): mixed => $simple->delete('a'),
            'has' => fn(): mixed => $simple->has('a'),
            'clear' => fn(): mixed => $simple->clear(),
            'getItem' => fn(): mixed => $pool->getItem('a'),
            'getItems' => fn(): mixed => iterator_to_array($pool->getItems(['a', 'b'])),
            'save' => fn(): mixed => $pool->save($item),
            'save with a tag' => fn(): mixed => $pool->save((clone $item)->setTags(['tag'])),
            'invalidateTags' => fn(): mixed => $pool->invalidateTags(['tag']),
            "Symfony's get" => fn(): mixed => $symfony->get('a', fn(): int => 1),
            "Symfony's getItem" => fn(): mixed => $symfony->getItem('a'),
            "Symfony's getItems" => fn(): mixed => iterator_to_array($symfony->getItems(['a', 'b'])),
            "Symfony's save" => fn(): mixed => $symfony->save($ofSymfony),
        ];
        $this->server->down = true;
        foreach ($calls as $what => $call) {
            try {
                $call();
                $this->fail("$what throws");
            } catch (\Psr\Cache\CacheException $failure) {
                $this->assertInstanceOf(ServerFailure::class, $failure, $what);
                $this->assertInstanceOf(\Psr\SimpleCache\CacheException::class, $failure);
            }
        }
    }

    public function testWordPress(): void
    {
        define('WP_LARDER_TIER', new TieredStore($this->server, 'failures', 'f:', OnFailure::Throw, self::SECRET));
        define('WP_CACHE_KEY_SALT', 'failures');
        eval('function is_multisite(): bool { return false; } function wp_suspend_cache_addition(): bool { return false; }');
        require \dirname(__DIR__, 2) . '/wordpress/object-cache.php';
        wp_cache_init();
        $calls = [
            'get' => fn(): mixed => wp_cache_get('a'),
            'get_multiple' => fn(): mixed => wp_cache_get_multiple(['a', 'b']),
            'set' => fn(): mixed => wp_cache_set('c', 1),
            'add' => fn(): mixed => wp_cache_add('d', 1),
            'delete' => fn(): mixed => wp_cache_delete('a'),
        ];
        $this->server->down = true;
        foreach ($calls as $what => $call) {
            try {
                $call();
                $this->fail("$what throws");
            } catch (ServerFailure) {
            }
        }
        $this->server->down = false;
        $this->assertFalse(wp_cache_get('a'));

        wp_cache_set('tries', 5);
        $this->assertSame([6, null], [wp_cache_incr('tries'), $this->server->lasts]);
        $this->server->forgetful = true;
        wp_cache_incr('tries');
        $this->assertSame(1000, $this->server->lasts, 'a counter that ended just before it was counted does not stay');
    }
}
