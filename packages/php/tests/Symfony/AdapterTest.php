<?php

declare(strict_types=1);

namespace Larder\Tests\Symfony;

use Larder\Cache\MemoryStore;
use Larder\Symfony\LarderAdapter;
use Larder\Symfony\LarderTagAwareAdapter;
use Larder\Tests\Cache\Fussy;
use Larder\Tests\Cache\Outdated;
use Larder\Tests\Cache\Values;
use Larder\Tests\Processes;
use Larder\VolatileCache;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;
use Psr\Log\AbstractLogger;
use Symfony\Component\Cache\Adapter\ArrayAdapter;
use Symfony\Component\Cache\Adapter\ChainAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\Cache\Exception\InvalidArgumentException;
use Symfony\Contracts\Cache\ItemInterface;

/** Tests the contracts of Symfony's cache that its documentation and its interfaces describe. */
final class AdapterTest extends TestCase
{
    private LarderTagAwareAdapter $pool;

    protected function setUp(): void
    {
        VolatileCache::clear();
        $this->pool = new LarderTagAwareAdapter('test');
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testEveryValueComesBack(mixed $value): void
    {
        foreach ([null, 3600] as $seconds) {
            foreach ([[], ['a', '7']] as $tags) {
                $this->pool->clear();
                $item = $this->pool->getItem('key');
                $this->assertTrue($this->pool->save($item->set($value)->expiresAfter($seconds)->tag($tags)));
                $found = $this->pool->getItem('key');
                $this->assertTrue($found->isHit());
                $this->assertEquals($value, $found->get());
                $this->assertEquals($value, iterator_to_array($this->pool->getItems(['key', 'none']))['key']->get());
                $this->assertEquals($value, $this->pool->get('key', fn() => $this->fail('computed')));
                $computed = $this->pool->get('computed', function (ItemInterface $item) use ($value, $seconds, $tags): mixed {
                    $item->expiresAfter($seconds)->tag($tags);
                    return $value;
                });
                $this->assertEquals([$value, $value], [$computed, $this->pool->get('computed', fn() => $this->fail('computed'), 0)]);
                $this->assertEquals($tags === [] ? [] : ['a' => 'a', '7' => '7'], $found->getMetadata()[ItemInterface::METADATA_TAGS] ?? []);
            }
        }
    }

    public function testAKeyOfOurOwnIsRefused(): void
    {
        $this->pool->withSubNamespace('sub')->get('key', fn(ItemInterface $item): string => $item->tag('tag')->getKey());
        foreach (['@tag', '/sub/', '/sub/key'] as $key) {
            foreach (['getItem', 'hasItem', 'deleteItem', 'get'] as $method) {
                try {
                    $this->pool->$method($key, fn(): int => 1);
                    $this->fail("$method $key");
                } catch (InvalidArgumentException) {
                }
            }
        }
        $this->assertTrue($this->pool->withSubNamespace('sub')->hasItem('key'));
    }

    public function testMetadata(): void
    {
        $this->pool->get('key', function (ItemInterface $item): string {
            $item->expiresAfter(10);
            usleep(20000);
            return 'value';
        }, null, $metadata);
        $this->assertSame($metadata, $this->pool->getItem('key')->getMetadata());
        $this->assertGreaterThanOrEqual(20, $metadata[CacheItem::METADATA_CTIME]);
        $this->assertGreaterThan(time(), $metadata[CacheItem::METADATA_EXPIRY]);
        $this->assertLessThanOrEqual(time() + 11, $metadata[CacheItem::METADATA_EXPIRY]);
        $this->assertSame('value', $this->pool->get('key', fn() => 'other', 0, $again));
        $this->assertSame($metadata, $again);
        $this->pool->get('without', fn() => 1, null, $none);
        $this->assertSame([], $none);
    }

    public function testWhatIsToBeComputedAnewIsGivenToTheCallback(): void
    {
        foreach (['plain' => 'old', 'an array' => ['old'], 'tagged' => 'old'] as $key => $old) {
            $this->pool->get($key, function (ItemInterface $item) use ($key, $old): mixed {
                $key === 'tagged' && $item->tag('tag')->expiresAfter(60);
                return $old;
            });
            $seen = [];
            $this->assertSame('new', $this->pool->get($key, function (ItemInterface $item) use (&$seen): string {
                $seen = [$item->isHit(), $item->get(), array_keys($item->getMetadata())];
                return 'new';
            }, INF, $metadata));
            $this->assertSame([true, $old, $key === 'tagged' ? ['expiry', 'ctime', 'tags'] : []], $seen, $key);
            $this->assertSame([[], []], [$metadata, $this->pool->getItem($key)->getMetadata()], $key);
            $this->assertSame('new', $this->pool->get($key, fn() => 'newer'), $key);
        }
        $this->assertSame([false, null], $this->pool->get('missing', fn(ItemInterface $item): array => [$item->isHit(), $item->get()], INF));
    }

    public function testEarlyExpiration(): void
    {
        $calls = 0;
        $compute = function (ItemInterface $item) use (&$calls): int {
            $item->expiresAfter(100);
            usleep(2000);
            return ++$calls;
        };
        $this->assertSame([1, 1, 1], [$this->pool->get('key', $compute, 0), $this->pool->get('key', $compute, 0), $this->pool->get('key', $compute)]);
        $this->assertSame([2, 2], [$this->pool->get('key', $compute, INF), $this->pool->get('key', $compute, 0)]);
        $this->assertSame(3, $this->pool->get('key', $compute, 1e9)); // a beta of 1e9 makes an early computation almost certain
        $this->assertSame('none', $this->pool->get('plain', fn() => 'none'));
        $this->assertSame('anew', $this->pool->get('plain', fn() => 'anew', INF));
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage('Argument "$beta" provided to "Larder\Symfony\LarderTagAwareAdapter::get()" must be a positive number, -1.000000 given.');
        $this->pool->get('key', $compute, -1);
    }

    public function testTheCallbackMayRefuseToSave(): void
    {
        $this->assertSame(1, $this->pool->get('key', function (ItemInterface $item, bool &$save): int {
            $save = false;
            return 1;
        }));
        $this->assertFalse($this->pool->hasItem('key'));
    }

    public function testAnExceptionOfTheCallbackPassesThroughAndLeavesNothingReserved(): void
    {
        for ($i = 0; $i < 2; $i++) {
            try {
                $this->pool->get('key', fn() => throw new \DomainException('mine'));
                $this->fail();
            } catch (\DomainException $error) {
                $this->assertSame('mine', $error->getMessage());
            }
        }
        $this->assertSame(2, $this->pool->get('key', fn() => 2));
    }

    public function testACallbackThatAsksForItsOwnKey(): void
    {
        $this->assertSame('inner, outer', $this->pool->get('key', fn() => $this->pool->get('key', fn() => 'inner') . ', outer'));
        $this->assertSame('inner, outer', $this->pool->get('key', fn() => $this->fail()));
        $this->assertSame('nested', $this->pool->get('a', fn() => $this->pool->get('b', fn() => 'nested')));
        $others = ['a clone' => clone $this->pool, 'another one' => new LarderTagAwareAdapter('test')];
        foreach ($others as $what => $other) {
            $this->assertSame('inner, outer', $this->pool->get($what, fn() => $other->get($what, fn() => 'inner') . ', outer'));
            $this->assertSame('inner, outer', $other->get($what, fn() => $this->fail()));
        }
        $sub = $this->pool->withSubNamespace('sub');
        $this->assertSame('of sub', $this->pool->get('c', fn() => $sub->get('c', fn() => 'of sub')));
        $this->assertSame('of sub', $sub->get('c', fn() => $this->fail()));
    }

    public function testFiftyMissesAtOnceComputeOnce(): void
    {
        foreach ([null, 'tag'] as $tag) {
            VolatileCache::delete('computed');
            $this->pool->invalidateTags(['tag']);
            $answers = Processes::run(50, fn(): mixed => $this->pool->get("key$tag", function (ItemInterface $item) use ($tag): array {
                $item->expiresAfter(3600)->tag((array) $tag);
                VolatileCache::increment('computed');
                usleep(300000);
                return ['value' => range(1, 100)];
            }));
            $this->assertSame(1, VolatileCache::get('computed'));
            $this->assertSame(array_fill(0, 50, ['value' => range(1, 100)]), $answers);
        }
    }

    public function testWhenTheComputingProcessIsKilledAnotherComputes(): void
    {
        $pid = pcntl_fork();
        if ($pid === 0) {
            $this->pool->get('key', function (): never {
                VolatileCache::set('started', true);
                sleep(60);
                exit;
            });
        }
        while (!VolatileCache::has('started')) {
            usleep(1000);
        }
        usleep(20000);
        posix_kill($pid, SIGKILL);
        $this->assertSame('mine', $this->pool->get('key', fn() => 'mine'));
        pcntl_waitpid($pid, $status);
    }

    public function testOneRefreshesWhileOthersGetTheOldValue(): void
    {
        $this->pool->get('key', fn(ItemInterface $item): string => 'old' . usleep(2000 * (int) (bool) $item->expiresAfter(3600)));
        $answers = Processes::run(8, fn(): mixed => $this->pool->get('key', function (ItemInterface $item): string {
            $item->expiresAfter(3600);
            VolatileCache::increment('refreshed');
            usleep(500000);
            return 'new';
        }, 1e12));
        $this->assertContains('new', $answers);
        $this->assertSame([], array_diff($answers, ['old', 'new']));
        $this->assertGreaterThan(0, VolatileCache::get('refreshed')); // usually 1, but a process that starts late may compute another value
        $this->assertLessThanOrEqual(\count(array_keys($answers, 'new', true)), VolatileCache::get('refreshed'));
        $this->assertSame('new', $this->pool->get('key', fn() => $this->fail(), 0));
    }

    public function testTags(): void
    {
        foreach (['k1' => ['a', 'b'], 'k2' => ['b'], 'k3' => []] as $key => $tags) {
            $this->pool->save($item = $this->pool->getItem($key)->set($key)->tag($tags));
            $this->assertSame($tags, array_keys($item->getMetadata()[CacheItem::METADATA_TAGS] ?? []));
        }
        $this->pool->saveDeferred($this->pool->getItem('deferred')->set(1)->tag('a'));
        $this->assertTrue($this->pool->invalidateTags(['a']));
        $this->assertSame([false, true, true, false], array_map($this->pool->hasItem(...), ['k1', 'k2', 'k3', 'deferred']));
        $items = iterator_to_array($this->pool->getItems(['k1', 'k2']));
        $this->assertSame([null, 'k2'], [$items['k1']->get(), $items['k2']->get()]);
        $this->pool->invalidateTags(['b', 'none']);
        $this->assertSame([1, 'k3'], [$this->pool->get('k2', fn() => 1), $this->pool->get('k3', fn() => 1)]);
        $this->expectException(InvalidArgumentException::class);
        $this->pool->invalidateTags(['a:b']);
    }

    public function testOnlyTheTagAwareAdapterTakesTags(): void
    {
        $this->expectException(\Symfony\Component\Cache\Exception\LogicException::class);
        (new LarderAdapter('test'))->getItem('key')->tag('a');
    }

    public function testSubNamespaces(): void
    {
        $a = $this->pool->withSubNamespace('a');
        $ab = $a->withSubNamespace('b');
        $c = $this->pool->withSubNamespace('c');
        foreach ([$this->pool, $a, $ab, $c] as $i => $pool) {
            $pool->save($pool->getItem('key')->set($i)->tag("t$i"));
        }
        $values = fn(): array => array_map(fn(LarderAdapter $pool) => $pool->getItem('key')->get(), [$this->pool, $a, $ab, $c]);
        $this->assertSame([0, 1, 2, 3], $values());
        $this->pool->invalidateTags(['t3']);
        $this->assertSame([0, 1, 2, null], $values());
        $c->get('key', fn() => 33);
        $a->clear();
        $this->assertSame([0, null, null, 33], $values());
        $ab->get('key', fn() => 22);
        $ab->clear();
        $a->get('key', fn() => 11);
        $this->assertSame([0, 11, null, 33], $values());
        $this->pool->clear();
        $this->assertSame([null, null, null, null], $values());
        $this->expectException(InvalidArgumentException::class);
        $this->pool->withSubNamespace('a/b');
    }

    public function testDeferredItems(): void
    {
        $this->pool->saveDeferred($this->pool->getItem('a')->set(1));
        $this->assertTrue($this->pool->getItem('a')->isHit());
        $this->pool->saveDeferred($this->pool->getItem('b')->set(2));
        $this->assertTrue($this->pool->commit());
        $this->assertSame(2, (new LarderAdapter('test'))->get('b', fn() => 3));
        $this->pool->saveDeferred($this->pool->getItem('c')->set(3));
        $this->pool->clear();
        $this->pool->commit();
        $this->assertFalse($this->pool->hasItem('c'));
    }

    public function testNamespacesKeepPoolsApart(): void
    {
        $other = new LarderAdapter('other');
        $other->get('key', fn() => 1);
        $this->assertFalse($this->pool->hasItem('key'));
        $this->pool->clear();
        $this->assertTrue($other->hasItem('key'));
    }

    public function testWhatCannotBeStoredIsLogged(): void
    {
        $logger = new class extends AbstractLogger {
            /** @var list<string> */
            public array $lines = [];

            public function log($level, \Stringable|string $message, array $context = []): void
            {
                $this->lines[] = strtr("$level: $message", ['{key}' => $context['key'], '{type}' => $context['type'] ?? '']);
            }
        };
        $this->pool->setLogger($logger);
        $values = 0;
        foreach (Values::unstorable() as [$value]) {
            $values++;
            $this->assertFalse($this->pool->save($this->pool->getItem('key')->set($value)));
            $this->assertSame($value, $this->pool->get('key', fn() => $value));
        }
        $this->assertCount(2 * $values, $logger->lines);
        $this->assertMatchesRegularExpression('/^warning: Failed to save key "key" of type Closure: /', $logger->lines[0]);
        $logger->lines = [];
        $this->pool->save($this->pool->getItem('fussy')->set(new Fussy()));
        $this->assertFalse($this->pool->hasItem('fussy'));
        $this->assertSame(['warning: Failed to fetch key "fussy": Fussy does not want to come back'], $logger->lines);
    }

    public function testAValueWhoseHookThrowsIsComputedAgain(): void
    {
        class_exists(Values::class); // its file also defines the class Outdated
        foreach (Outdated::THROWN as $thrown) {
            $this->pool->save($this->pool->getItem('old')->set(new Outdated($thrown)));
            $this->assertFalse($this->pool->hasItem('old'), $thrown);
            $this->assertSame([false, false], array_map(static fn(CacheItem $item): bool => $item->isHit(), array_values(iterator_to_array($this->pool->getItems(['old', 'missing'])))), $thrown);
            $this->assertSame(['new', 'new'], [$this->pool->get('old', static fn(): string => 'new'), $this->pool->get('old', static fn(): string => 'newer')], $thrown);
        }
    }

    public function testAKeyThatTheStoreRefusesIsRefused(): void
    {
        $this->expectException(InvalidArgumentException::class);
        (new LarderAdapter('test'))->getItem(str_repeat('k', 66000));
    }

    public function testBadKeysInASubNamespace(): void
    {
        $outer = $this->pool->withSubNamespace('outer');
        $outer->withSubNamespace('inner')->get('k', static fn(): int => 1);
        foreach (['', 'inner/', 'inner/k', '/', '@', 'a:b'] as $key) {
            foreach ([$outer->getItem(...), $outer->hasItem(...), $outer->deleteItem(...), static fn(string $key) => $outer->get($key, static fn(): int => 2), static fn(string $key) => iterator_to_array($outer->getItems([$key]))] as $i => $call) {
                try {
                    $call($key);
                    $this->fail("$i took \"$key\"");
                } catch (\Psr\Cache\InvalidArgumentException) {
                    $this->addToAssertionCount(1);
                }
            }
        }
        $this->assertSame(1, $outer->withSubNamespace('inner')->get('k', static fn(): int => 3));
    }

    public function testBadKeys(): void
    {
        foreach (['', 'a:b', '{}', 5, null, []] as $key) {
            foreach ([fn() => $this->pool->getItem($key), fn() => $this->pool->get(\is_string($key) ? $key : '', fn() => 1), fn() => $this->pool->getItems(['good', $key]), fn() => $this->pool->deleteItem($key), fn() => $this->pool->hasItem($key)] as $i => $call) {
                try {
                    $call();
                    $this->fail("$i took " . var_export($key, true));
                } catch (\Psr\Cache\InvalidArgumentException) {
                    $this->addToAssertionCount(1);
                }
            }
        }
    }

    public function testTheDefaultLifetime(): void
    {
        $now = 0.0;
        $store = new MemoryStore(function () use (&$now): float {
            return $now;
        });
        $pool = new LarderAdapter($store, 60);
        $pool->get('a', fn() => 1);
        $pool->get('b', fn(ItemInterface $item) => $item->expiresAfter(600) ? 2 : 0);
        $now = 61.0;
        $this->assertSame([3, 2], [$pool->get('a', fn() => 3, 0), $pool->get('b', fn() => 4, 0)]);
    }

    public function testInSymfonysOtherAdapters(): void
    {
        $chain = new ChainAdapter([new ArrayAdapter(), $this->pool]);
        $this->assertSame(1, $chain->get('key', fn() => 1));
        $this->assertSame(1, $this->pool->get('key', fn() => 2));
        $tags = new TagAwareAdapter(new LarderAdapter('wrapped'));
        $tags->get('key', fn(ItemInterface $item) => $item->tag('t')->getKey());
        $this->assertTrue($tags->hasItem('key') && $tags->invalidateTags(['t']));
        $this->assertFalse($tags->hasItem('key'));
        $this->pool->save($this->pool->getItem('ends')->set('value')->tag('t')->expiresAfter(60));
        $front = new ArrayAdapter();
        (new ChainAdapter([$front, $this->pool]))->getItem('ends');
        $this->assertArrayHasKey(CacheItem::METADATA_EXPIRY, $this->pool->getItem('ends')->getMetadata());
        $this->assertLessThanOrEqual(microtime(true) + 60, \Closure::bind(fn(): float => $front->expiries['ends'], null, ArrayAdapter::class)(), 'in front it ends, too');
    }

    public function testTheTagsOfSymfonysTagAwareAdapterOutliveTheRequest(): void
    {
        $inner = [new LarderAdapter('wrapped', 60), $this->pool, $this->pool->withSubNamespace('sub'), new ChainAdapter([new ArrayAdapter(), $this->pool->withSubNamespace('chain')])];
        foreach ($inner as $i => $adapter) {
            $get = fn(string $value): mixed => (new TagAwareAdapter($adapter))->get('key', fn(ItemInterface $item): string => $item->tag('t')->getKey() . $value);
            $this->assertSame(['key1', 'key1'], [$get('1'), $get('2')], "of $i");
            (new TagAwareAdapter($adapter))->invalidateTags(['t']);
            $this->assertSame(['key3', 'key3'], [$get('3'), $get('4')], "of $i, invalidated");
        }
    }

    public function testAnEndInThePastRemovesAndTheEpochIsNoLimit(): void
    {
        foreach ([new LarderAdapter('ends', 60), $this->pool, new ArrayAdapter()] as $pool) {
            foreach (['@0' => true, '@1' => false, '-1 second' => false, '+1 minute' => true] as $end => $kept) {
                $pool->save($pool->getItem('key')->set('old'));
                $this->assertTrue($pool->save($pool->getItem('key')->set('new')->expiresAt(new \DateTime($end))));
                $item = $pool->getItem('key');
                $this->assertSame([$kept, $kept ? 'new' : null], [$item->isHit(), $item->get()], $pool::class . $end);
            }
        }
    }

    public function testItIsNotSerialized(): void
    {
        $this->expectException(\BadMethodCallException::class);
        serialize($this->pool);
    }

    /** Two processes compute values that need each other. If they waited for each other, both would give up after 10 seconds. */
    public function testNestedValuesCrosswise(): void
    {
        // The machine may stall during a try, so a single fast try is enough to pass.
        for ($try = 1; $try <= 5; $try++) {
            $cache = new LarderAdapter("crosswise$try");
            $from = hrtime(true);
            $got = Processes::run(2, static function (int $i) use ($cache, $try): string {
                [$own, $other] = $i === 0 ? ['a', 'b'] : ['b', 'a'];
                return $cache->get($own, static function () use ($cache, $own, $other, $try): string {
                    VolatileCache::increment("crosswise$try");
                    while (VolatileCache::get("crosswise$try") < 2) {
                        usleep(100);
                    }
                    return $own . $cache->get($other, static fn(): string => $other);
                });
            });
            if (hrtime(true) - $from < 9e9) {
                break;
            }
        }
        $this->assertLessThan(6, $try, 'they waited until they gave up');
        $this->assertSame(['a', 'b'], array_map(static fn(string $value): string => $value[0], $got));
    }
}
