<?php

declare(strict_types=1);

namespace Larder\Tests\Cache;

use Larder\Cache\Exception\InvalidArgument;
use Larder\Cache\ItemPool;
use Larder\Cache\MemoryStore;
use Larder\Cache\SimpleCache;
use Larder\Cache\VolatileStore;
use Larder\Tests\Processes;
use Larder\VolatileCache;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

/** Tests cases that the suites of cache/integration-tests lack. */
final class PoolTest extends TestCase
{
    private ItemPool $pool;
    private SimpleCache $cache;
    private VolatileStore $store;

    protected function setUp(): void
    {
        VolatileCache::clear();
        $this->store = new VolatileStore('pool test');
        $this->pool = new ItemPool($this->store);
        $this->cache = new SimpleCache('simple test');
    }

    /** @param list<string> $tags */
    private function save(string $key, mixed $value, array $tags = []): bool
    {
        return $this->pool->save($this->pool->getItem($key)->set($value)->setTags($tags));
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testEveryValueComesBackWithAndWithoutTags(mixed $value): void
    {
        $this->assertTrue($this->save('plain', $value) && $this->save('tagged', $value, ['a', '7']) && $this->cache->set('key', $value));
        foreach (['plain', 'tagged'] as $key) {
            $item = $this->pool->getItem($key);
            $this->assertTrue($item->isHit());
            $this->assertEquals($value, $item->get());
            $this->assertEquals($value, iterator_to_array($this->pool->getItems([$key]))[$key]->get());
        }
        $this->assertEquals($value, $this->cache->get('key', 'miss'));
        $this->assertSame(['a' => 'a', '7' => '7'], $this->pool->getItem('tagged')->getPreviousTags());
    }

    #[DataProviderExternal(Values::class, 'unstorable')]
    public function testWhatCannotBeStoredIsFalseAndLeavesTheOldValue(mixed $value): void
    {
        $this->save('key', 'old');
        $this->cache->set('key', 'old');
        $this->assertFalse($this->save('key', $value));
        $this->assertInstanceOf(\Throwable::class, $this->pool->lastError());
        $this->assertFalse($this->save('key', $value, ['tag']));
        $this->assertFalse($this->pool->saveDeferred($this->pool->getItem('key')->set($value)) && $this->pool->commit());
        $this->assertFalse($this->cache->set('key', $value));
        $this->assertFalse($this->cache->setMultiple(['other' => 1, 'key' => $value]));
        $this->assertInstanceOf(\Throwable::class, $this->cache->lastError());
        $this->assertSame(['old', 'old', false], [$this->pool->getItem('key')->get(), $this->cache->get('key'), $this->cache->has('other')]);
    }

    public function testAnExceptionOfAHookIsAMiss(): void
    {
        $this->save('key', new Fussy());
        $this->save('good', 1);
        $this->cache->setMultiple(['key' => new Fussy(), 'good' => 1]);
        $this->assertFalse($this->pool->getItem('key')->isHit());
        $this->assertSame('Fussy does not want to come back', $this->pool->lastError()?->getMessage());
        $items = iterator_to_array($this->pool->getItems(['key', 'good']));
        $this->assertSame([false, 1], [$items['key']->isHit(), $items['good']->get()]);
        foreach ([null, 'default'] as $default) {
            $this->cache->set('other', 1); // a successful call resets the last error
            $this->assertSame($default, $this->cache->get('key', $default));
            $this->assertSame('Fussy does not want to come back', $this->cache->lastError()?->getMessage());
        }
        $this->assertSame(['key' => 'default', 'good' => 1], $this->cache->getMultiple(['key', 'good'], 'default'));
    }

    public function testAClassThatIsGoneIsAMiss(): void
    {
        Processes::run(1, function (): void {
            eval('final class OfAnotherRelease { public $a = 1; }');
            $this->save('key', new \OfAnotherRelease(), ['tag']);
            $this->cache->set('key', new \OfAnotherRelease());
        });
        $this->assertSame([false, 'default'], [$this->pool->getItem('key')->isHit(), $this->cache->get('key', 'default')]);
    }

    public function testIntervalsAndTimesInThePast(): void
    {
        $this->assertTrue($this->cache->set('month', 1, new \DateInterval('P1M')));
        $this->assertTrue($this->cache->set('past', 1) && $this->cache->set('past', 2, (new \DateTime())->diff(new \DateTime('-1 hour'))));
        $this->assertSame([1, null], [$this->cache->get('month'), $this->cache->get('past')]);
        $item = $this->pool->getItem('key')->set(1);
        $this->assertTrue($this->pool->save($item->expiresAfter(new \DateInterval('PT1H'))) && $this->pool->hasItem('key'));
        $this->assertTrue($this->pool->save($item->expiresAt(new \DateTimeImmutable('-1 second'))));
        $this->assertFalse($this->pool->hasItem('key'));
    }

    public function testTheDefaultLifetimeAndNull(): void
    {
        $now = 0.0;
        $store = new MemoryStore(function () use (&$now): float {
            return $now;
        });
        $cache = new SimpleCache($store, 60);
        $pool = new ItemPool($store, 60);
        $cache->set('default', 1);
        $cache->set('longer', 1, 600);
        $pool->save($pool->getItem('item')->set(1)->expiresAfter(null));
        $now = 61.0;
        $this->assertSame(['default' => null, 'longer' => 1, 'item' => null], $cache->getMultiple(['default', 'longer', 'item']));
    }

    public function testAKeyOfOurOwnIsRefused(): void
    {
        $pool = new ItemPool('test', hierarchical: true);
        $pool->save($pool->getItem('|a|b')->set(1)->setTags(['tag']));
        foreach (['@tag', '/', '/|a'] as $key) {
            foreach (['getItem', 'hasItem', 'deleteItem'] as $method) {
                try {
                    $pool->$method($key);
                    $this->fail("$method $key");
                } catch (InvalidArgument) {
                }
            }
        }
        $this->assertTrue($pool->hasItem('|a|b'));
    }

    public function testTagsOfManyEntries(): void
    {
        for ($i = 0; $i < 200; $i++) {
            $this->save("k$i", $i, $i % 2 ? ['odd', 'all'] : ['even', 'all']);
        }
        $this->assertTrue($this->pool->invalidateTag('odd'));
        for ($i = 0; $i < 200; $i++) {
            $this->assertSame($i % 2 === 0, $this->pool->hasItem("k$i"), "k$i");
        }
        $this->assertTrue($this->pool->invalidateTags(['all', 'nobody has it']));
        $this->assertFalse($this->pool->hasItem('k0'));
        $this->save('k0', 'new', ['even', 'all']);
        $this->assertSame('new', $this->pool->getItem('k0')->get());
    }

    public function testATagThatWasEvictedDoesNotMakeOldEntriesValidAgain(): void
    {
        $this->save('old', 1, ['tag']);
        $number = $this->store->get('@tag');
        $this->store->delete('@tag'); // as if the store had evicted the tag
        $this->assertFalse($this->pool->hasItem('old'));
        $this->save('new', 2, ['tag']);
        $this->assertFalse($this->pool->hasItem('old'));
        $this->assertTrue($this->pool->hasItem('new'));
        $this->assertNotSame($number, $this->store->get('@tag'));
    }

    public function testTagsWhileTheStoreIsFull(): void
    {
        $wrong = 0;
        $text = random_bytes(40000); // cannot be packed
        for ($i = 0; $i < 4000; $i++) { // write 160 MB into a store of 64 MB
            $this->save("k$i", $text . $i, ['t' . $i % 50]);
            if ($i % 40 === 0) {
                $this->pool->invalidateTag('t' . $i % 50);
                $wrong += (int) $this->pool->hasItem("k$i");
            }
            $item = $this->pool->getItem('k' . intdiv($i, 2));
            $wrong += (int) ($item->isHit() && $item->get() !== $text . intdiv($i, 2));
        }
        $this->assertSame(0, $wrong);
        $this->assertGreaterThan(0, VolatileCache::info()->evictions);
    }

    public function testTagsInManyProcesses(): void
    {
        // Each process stores entries that contain the number of its round. A round ends with an invalidation, and then no entry of the
        // round may be found.
        $answers = Processes::run(4, function (int $i): array {
            $wrong = [];
            for ($round = 1; $round <= 300; $round++) {
                $key = "k$i." . $round % 7;
                $this->save($key, $round, ["t$i", 'shared']);
                $found = $this->pool->getItem($key);
                if ($found->isHit() && $found->get() !== $round) {
                    $wrong[] = "$key: {$found->get()} in round $round";
                }
                $this->pool->invalidateTag($round % 50 === 0 ? 'shared' : "t$i");
                for ($k = 0; $k < 7; $k++) {
                    if ($this->pool->hasItem("k$i.$k")) {
                        $wrong[] = "k$i.$k survived round $round";
                    }
                }
            }
            return $wrong;
        });
        $this->assertSame([[], [], [], []], $answers);
    }

    public function testHierarchiesOfKeysWithTags(): void
    {
        $pool = new ItemPool('paths', hierarchical: true);
        $pool->save($pool->getItem('|a|b')->set(1)->setTags(['tag']));
        $pool->save($pool->getItem('|a|c')->set(2));
        $this->assertSame(['tag' => 'tag'], $pool->getItem('|a|b')->getPreviousTags());
        $pool->invalidateTag('tag');
        $this->assertSame([false, true], [$pool->hasItem('|a|b'), $pool->hasItem('|a|c')]);
        $pool->deleteItem('|a');
        $this->assertFalse($pool->hasItem('|a|c'));
    }

    public function testPoolsAreClearedByThemselves(): void
    {
        $this->cache->set('key', 1);
        $this->save('key', 2);
        $this->assertTrue($this->cache->clear());
        $this->assertSame([null, 2], [$this->cache->get('key'), $this->pool->getItem('key')->get()]);
    }

    public function testBadKeys(): void
    {
        foreach (['', 'a:b', str_repeat('k', 65001)] as $key) {
            foreach ([fn() => $this->cache->get($key), fn() => $this->cache->set($key, 1), fn() => $this->pool->getItem($key), fn() => $this->pool->invalidateTag($key), fn() => $this->pool->getItem('good')->setTags([$key])] as $i => $call) {
                try {
                    $call();
                    $this->fail("$i took " . substr($key, 0, 10));
                } catch (InvalidArgument $error) {
                    $this->assertMatchesRegularExpression('/^A (cache key|tag) must have (1 to 65000 bytes, \d+ given|none of the characters .*)/', $error->getMessage());
                }
            }
        }
        $this->assertTrue($this->cache->set($long = str_repeat('k', 65000), 1) && $this->cache->has($long));
    }

    public function testCommitSaysWhyAnItemWasNotStored(): void
    {
        $pool = new ItemPool('deferred');
        $pool->saveDeferred($pool->getItem('closure')->set(static fn(): int => 1));
        $pool->saveDeferred($pool->getItem('int')->set(1));
        $this->assertFalse($pool->commit());
        $this->assertInstanceOf(\TypeError::class, $pool->lastError());
        $this->assertTrue($pool->hasItem('int') && $pool->commit());
    }

    public function testACloneDoesNotStoreWhatTheOtherHasPutOff(): void
    {
        $pool = new ItemPool('deferred');
        $pool->saveDeferred($pool->getItem('a')->set(1));
        $clone = clone $pool;
        $pool->commit();
        $pool->deleteItem('a');
        unset($clone);
        $this->assertFalse($pool->hasItem('a'));
    }

    public function testAnItemOfAnotherLibrary(): void
    {
        $item = (new \Symfony\Component\Cache\Adapter\ArrayAdapter())->getItem('key');
        $this->expectException(InvalidArgument::class);
        $this->expectExceptionMessage('An item must come from a pool of this library, Symfony\Component\Cache\CacheItem given');
        $this->pool->save($item);
    }

    public function testKilledWritersLeaveTagsAndEntriesInOrder(): void
    {
        for ($round = 0; $round < 30; $round++) {
            $pid = pcntl_fork();
            if ($pid === 0) {
                for ($i = 0;; $i = ($i + 1) % 100) {
                    $this->save("k$i", array_fill(0, $i, "value $i"), ['a', 'b' . $i % 3]);
                    $i % 10 || $this->pool->invalidateTag('b' . $i % 3);
                }
            }
            usleep(random_int(500, 20000));
            posix_kill($pid, SIGKILL);
            pcntl_waitpid($pid, $status);
            for ($i = 0; $i < 100; $i++) {
                $item = $this->pool->getItem("k$i");
                if ($item->isHit()) {
                    $this->assertSame(array_fill(0, $i, "value $i"), $item->get());
                }
            }
            $this->assertTrue($this->pool->invalidateTag('a'));
            for ($i = 0; $i < 100; $i++) {
                $this->assertFalse($this->pool->hasItem("k$i"));
            }
        }
    }

    public function testAnyThrowableOfAHookIsAMiss(): void
    {
        class_exists(Values::class); // its file also defines the class Outdated
        $simple = new SimpleCache('restore test');
        $pool = new ItemPool('restore test');
        foreach (Outdated::THROWN as $thrown) {
            $simple->clear();
            $this->assertTrue($simple->setMultiple(['old' => new Outdated($thrown), 'good' => 1]));
            $this->assertNull($simple->get('old'));
            $this->assertInstanceOf($thrown, $simple->lastError());
            $this->assertSame(['none', false], [$simple->get('old', 'none'), $simple->has('old')], $thrown);
            $this->assertSame(['old' => 'none', 'good' => 1], $simple->getMultiple(['old', 'good'], 'none'), $thrown);
            $this->assertSame([false, false], [$pool->getItem('old')->isHit(), $pool->hasItem('old')], $thrown);
            $this->assertInstanceOf($thrown, $pool->lastError());
            $this->assertSame([false, true], array_map(static fn($item): bool => $item->isHit(), array_values(iterator_to_array($pool->getItems(['old', 'good'])))), $thrown);
            $this->assertTrue($pool->save($pool->getItem('old')->set('new')));
            $this->assertSame('new', $simple->get('old'), $thrown);
        }
        $simple->clear();
    }

    public function testAnyThrowableOfAHookMakesASaveFail(): void
    {
        $failing = new class {
            public int $number;

            /** @return array{int} */
            public function __serialize(): array
            {
                return [$this->number]; // throws: $number is not initialized
            }
        };
        $failing = ['a' => $failing, 'b' => 1];
        $this->assertFalse((new SimpleCache('restore test'))->set('key', $failing['a']));
        $pool = new ItemPool('restore test');
        foreach ($failing as $key => $value) {
            $pool->saveDeferred($pool->getItem($key)->set($value));
        }
        $this->assertFalse($pool->commit());
        $this->assertTrue($pool->hasItem('b'), 'an item that can be saved is saved');
        $pool->clear();
    }

    public function testWhatGetCannotRestoreIsNotThere(): void
    {
        $make = 'return new class_of_a_release();';
        Processes::run(1, static function () use ($make): void {
            eval('final class class_of_a_release { public int $a = 1; }');
            (new SimpleCache('restore test'))->set('changed', eval($make));
        });
        eval('final class class_of_a_release { public int $a = 1; public int $b = 2; }');
        $simple = new SimpleCache('restore test');
        $simple->set('hook', new Fussy());
        foreach (['changed', 'hook'] as $key) {
            $this->assertSame(['none', false], [$simple->get($key, 'none'), $simple->has($key)], $key);
            $this->assertFalse((new ItemPool('restore test'))->hasItem($key), $key);
        }
        $this->assertTrue($simple->set('hook', null) && $simple->has('hook'));
        $simple->clear();
    }
}
