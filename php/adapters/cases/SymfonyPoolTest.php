<?php

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;
use Psr\Cache\CacheItemInterface;
use Symfony\Component\Cache\Adapter\ApcuAdapter;
use Symfony\Component\Cache\Adapter\TagAwareAdapter;
use Symfony\Component\Cache\CacheItem;
use Symfony\Component\Cache\Exception\InvalidArgumentException;
use Symfony\Component\Cache\Marshaller\DefaultMarshaller;

require_once __DIR__ . '/values.inc';

/** Tests Symfony's ApcuAdapter as a PSR-6 pool, and the features that Symfony adds to PSR-6. */
final class SymfonyPoolTest extends TestCase
{
    private ApcuAdapter $pool;

    protected function setUp(): void
    {
        apcu_clear_cache();
        $this->pool = $this->pool();
    }

    private function pool(int $lifetime = 0): ApcuAdapter
    {
        return new ApcuAdapter('cases', $lifetime);
    }

    private function save(string $key, mixed $value, ?int $seconds = null): bool
    {
        return $this->pool->save($this->pool->getItem($key)->set($value)->expiresAfter($seconds));
    }

    public function testAMissIsAnItemWithoutAValue(): void
    {
        $item = $this->pool->getItem('absent');
        $this->assertSame(['absent', false, null], [$item->getKey(), $item->isHit(), $item->get()]);
        $this->assertFalse($this->pool->hasItem('absent'));
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testAValueComesBackAsItWas(mixed $value): void
    {
        $this->assertTrue($this->save('key', $value));
        foreach ([$this->pool, $this->pool()] as $pool) {
            $item = $pool->getItem('key');
            $this->assertTrue($item->isHit());
            Values::assertSame($value, $item->get());
        }
        $this->assertTrue($this->pool->hasItem('key'));
    }

    public function testWhatIsFetchedCanBeChangedWithoutChangingTheCache(): void
    {
        $this->save('key', ['list' => [1, 2], 'object' => (object) ['a' => 1]]);
        $value = $this->pool->getItem('key')->get();
        $value['list'][] = 3;
        $value['object']->a = 2;
        $this->assertEquals(['list' => [1, 2], 'object' => (object) ['a' => 1]], $this->pool->getItem('key')->get());
    }

    public function testAnItemIsReplaced(): void
    {
        foreach ([1, 'text', [2], null] as $value) {
            $this->assertTrue($this->save('key', $value));
            $this->assertSame($value, $this->pool->getItem('key')->get());
        }
    }

    public function testItemsComeByTheirKeys(): void
    {
        $this->save('1', 'one');
        $this->save('two', 2);
        $items = iterator_to_array($this->pool->getItems(['two', '1', 'three']));
        $this->assertEqualsCanonicalizing(['two', '1', 'three'], array_map('strval', array_keys($items)));
        $this->assertSame([2, 'one', null], [$items['two']->get(), $items['1']->get(), $items['three']->get()]);
        $this->assertFalse($items['three']->isHit());
        $this->assertSame([], iterator_to_array($this->pool->getItems([])));
    }

    public function testDeletingSucceedsWhetherItIsThereOrNot(): void
    {
        $this->save('a', 1);
        $this->save('b', 2);
        $this->save('c', 3);
        $this->assertTrue($this->pool->deleteItem('a') && $this->pool->deleteItem('a'));
        $this->assertTrue($this->pool->deleteItems(['b', 'never']));
        $this->assertSame([false, false, true], array_map($this->pool->hasItem(...), ['a', 'b', 'c']));
    }

    public function testClearingRemovesAllOfThePool(): void
    {
        $this->save('a', 1);
        $this->pool->saveDeferred($this->pool->getItem('b')->set(2));
        $this->assertTrue($this->pool->clear());
        $this->assertTrue($this->pool->commit());
        $this->assertFalse($this->pool->hasItem('a') || $this->pool->hasItem('b'));
    }

    public function testClearingAPrefixLeavesTheRest(): void
    {
        $this->save('foobar', 1);
        $this->save('barfoo', 2);
        $this->assertTrue($this->pool->clear('foo'));
        $this->assertSame([false, true], [$this->pool->hasItem('foobar'), $this->pool->hasItem('barfoo')]);
        foreach (["foo' OR 1=1", 'bar%', 'bar foo', "bar\0foo", 'bar/foo'] as $prefix) {
            $this->assertFalse($this->pool->clear($prefix));
        }
        $this->assertTrue($this->pool->hasItem('barfoo'));
    }

    public function testANamespaceIsNotReachedFromAnother(): void
    {
        $other = new ApcuAdapter('other');
        $this->save('key', 1);
        $other->save($other->getItem('key')->set(2));
        $this->assertSame([1, 2], [$this->pool->getItem('key')->get(), $other->getItem('key')->get()]);
        $this->pool->clear();
        $this->assertSame([false, true], [$this->pool->hasItem('key'), $other->hasItem('key')]);
    }

    public function testANewVersionOfANamespaceDropsTheOldOne(): void
    {
        $old = new ApcuAdapter('versions', 0, '1');
        $old->save($old->getItem('key')->set('old'));
        $this->assertSame('old', (new ApcuAdapter('versions', 0, '1'))->getItem('key')->get());
        $this->assertFalse((new ApcuAdapter('versions', 0, '2'))->getItem('key')->isHit());
        $this->assertFalse($old->getItem('key')->isHit());
    }

    public function testDeferredItemsAreHitsBeforeAndAfterTheCommit(): void
    {
        $this->assertTrue($this->pool->saveDeferred($this->pool->getItem('key')->set('a')));
        $this->assertTrue($this->pool->hasItem('key'));
        $item = $this->pool->getItem('key')->set('b');
        $this->assertSame('a', $this->pool->getItem('key')->get());
        $this->pool->saveDeferred($item);
        $this->assertTrue($this->pool->commit() && $this->pool->commit());
        $this->assertSame('b', $this->pool()->getItem('key')->get());
    }

    public function testDeferredItemsCanBeDeleted(): void
    {
        $this->pool->saveDeferred($this->pool->getItem('key')->set('a'));
        $this->pool->deleteItem('key');
        $this->pool->commit();
        $this->assertFalse($this->pool->hasItem('key'));
    }

    public function testDeferredItemsAreSavedWhenThePoolGoes(): void
    {
        $pool = $this->pool();
        $pool->saveDeferred($pool->getItem('key')->set('a'));
        unset($pool);
        gc_collect_cycles();
        $this->assertSame('a', $this->pool->getItem('key')->get());
    }

    public function testWhatHasExpiredIsNotThere(): void
    {
        $this->save('key', 'a', 10);
        $this->assertTrue($this->pool->hasItem('key'));
        $this->pool->save($this->pool->getItem('key')->set('b')->expiresAt(new DateTime('@' . (time() - 1))));
        $this->assertFalse($this->pool->hasItem('key'));
        $this->pool->saveDeferred($this->pool->getItem('key')->set('c')->expiresAt(new DateTimeImmutable('-1 second')));
        $this->assertFalse($this->pool->hasItem('key'));
        $this->pool->commit();
        $this->assertFalse($this->pool->hasItem('key'));
    }

    public function testTimesToLiveEnd(): void
    {
        $save = function (int $seconds): void {
            $lives = $this->pool($seconds);
            $lives->save($lives->getItem('default')->set(1));
            $this->save('short', 1, $seconds);
            $this->save('interval', 1);
            $this->pool->save($this->pool->getItem('interval')->set(1)->expiresAfter(new DateInterval("PT{$seconds}S")));
            $this->save('long', 1, 366 * 86400);
            $this->save('rewritten', 1, $seconds);
            $this->save('rewritten', 2);
        };
        $look = fn (): array => array_map($this->pool->hasItem(...), ['default', 'short', 'interval', 'long', 'rewritten']);
        $left = [false, false, false, true, true];
        $this->assertSame([[true, true, true, true, true], $left], seen_through_time($save, $look, $left));
    }

    #[DataProvider('badKeys')]
    public function testReservedCharactersAreRefused(string $key): void
    {
        foreach (['getItem', 'hasItem', 'deleteItem'] as $method) {
            try {
                $this->pool->$method($key);
                $this->fail("$method() took it");
            } catch (InvalidArgumentException) {
            }
        }
        $this->expectException(InvalidArgumentException::class);
        $this->pool->deleteItems(['good', $key]);
    }

    public static function badKeys(): array
    {
        return [[''], ['{a'], ['a}'], ['a(b'], ['a)'], ['a/b'], ['a\\b'], ['a@b'], ['a:b']];
    }

    public function testKeysOfManyKinds(): void
    {
        $keys = [str_repeat('k', 64), str_repeat('long', 1000), "a\0b", '0', '-1', '1.5', 'ключ', ' ', "\xff", 'a.b_c-d'];
        foreach ($keys as $i => $key) {
            $this->assertTrue($this->save($key, $i), $key);
        }
        foreach ($keys as $i => $key) {
            $this->assertSame($i, $this->pool()->getItem($key)->get(), $key);
        }
    }

    public function testWhatCannotBeSerializedIsNotSaved(): void
    {
        $this->assertFalse($this->save('key', function () {}));
        $this->assertFalse($this->save('key', [1, [new class {}]]));
        $this->assertFalse($this->pool->hasItem('key'));
    }

    public function testWhatCannotBeRebuiltIsAMiss(): void
    {
        $this->save('key', new WakesBadly);
        $this->assertFalse($this->pool->getItem('key')->isHit());
        foreach ($this->pool->getItems(['key', 'other']) as $item) {
            $this->assertFalse($item->isHit());
        }
        $this->assertTrue($this->save('key', 'good') && $this->pool->getItem('key')->get() === 'good');
    }

    public function testManySavesInOneCommit(): void
    {
        foreach (range(1, 1500) as $i) {
            $this->pool->saveDeferred($this->pool->getItem("key$i")->set(str_repeat("$i,", $i % 50))->expiresAfter($i % 3 * 1000 ?: null));
        }
        $this->assertTrue($this->pool->commit());
        foreach (range(1, 1500) as $i) {
            $this->assertSame(str_repeat("$i,", $i % 50), $this->pool->getItem("key$i")->get());
        }
    }

    public function testGetComputesWhatIsMissingOnce(): void
    {
        $compute = function (CacheItemInterface $item, bool &$save) use (&$calls): string {
            $save = $item->getKey() !== 'unsaved';
            return $item->getKey() . ++$calls;
        };
        $this->assertSame(['a1', 'a1'], [$this->pool->get('a', $compute), $this->pool->get('a', $compute)]);
        $this->assertSame(['unsaved2', 'unsaved3'], [$this->pool->get('unsaved', $compute), $this->pool->get('unsaved', $compute)]);
        $this->assertSame('a4', $this->pool->get('a', $compute, INF)); // early, on demand
        $this->assertTrue($this->pool->delete('a'));
        $this->assertSame('a5', $this->pool->get('a', $compute));
        $inner = fn (): string => $this->pool->get('inner', fn (): string => 'in' . ++$calls);
        $this->assertSame('in6', $this->pool->get('outer', $inner));
        $this->assertSame(['in6', 'in6'], [$this->pool->get('inner', $compute), $this->pool->get('outer', $compute)]);
    }

    public function testGetPassesExceptionsOnAndKeepsNothing(): void
    {
        try {
            $this->pool->get('key', fn () => throw new DomainException('no'));
            $this->fail('nothing was thrown');
        } catch (DomainException) {
        }
        $this->assertFalse($this->pool->hasItem('key'));
        $this->assertSame(1, $this->pool->get('key', fn (): int => 1));
    }

    public function testMetadataIsKeptBesideTheValue(): void
    {
        $before = time();
        $this->pool->get('key', function (CacheItem $item): array {
            $item->expiresAfter(100);
            usleep(50000);
            return [1234567890 => [1]]; // looks like an array with metadata
        });
        $item = $this->pool()->getItem('key');
        $metadata = $item->getMetadata();
        $this->assertSame([1234567890 => [1]], $item->get());
        $this->assertGreaterThanOrEqual(50, $metadata[CacheItem::METADATA_CTIME]);
        $this->assertGreaterThanOrEqual($before + 99, $metadata[CacheItem::METADATA_EXPIRY]);
        $this->assertLessThanOrEqual(time() + 101, $metadata[CacheItem::METADATA_EXPIRY]);
    }

    public function testTagsInvalidateWhatCarriesThem(): void
    {
        $pool = new TagAwareAdapter($this->pool, new ApcuAdapter('tags'), 0);
        foreach (['a' => ['red'], 'b' => ['red', 'blue'], 'c' => ['blue'], 'd' => []] as $key => $tags) {
            $pool->save($pool->getItem($key)->set($key)->tag($tags));
        }
        $again = new TagAwareAdapter($this->pool(), new ApcuAdapter('tags'), 0);
        $this->assertSame(['red' => 'red', 'blue' => 'blue'], $again->getItem('b')->getMetadata()[CacheItem::METADATA_TAGS]);
        $this->assertTrue($pool->invalidateTags(['red']));
        $this->assertSame([false, false, true, true], array_map($again->hasItem(...), ['a', 'b', 'c', 'd']));
        $this->assertTrue($again->invalidateTags(['blue', 'never']));
        $this->assertSame([false, true], array_map($again->hasItem(...), ['c', 'd']));
    }

    public function testAMarshallersTextComesBack(): void
    {
        $pool = new ApcuAdapter('marshalled', 0, null, new DefaultMarshaller());
        $value = ['a' => new ArrayObject([1, 2]), 'b' => Suit::Hearts];
        $this->assertTrue($pool->save($pool->getItem('key')->set($value)));
        $this->assertEquals($value, $pool->getItem('key')->get());
        $this->assertFalse($pool->save($pool->getItem('key')->set(fn () => 1)));
    }

    public function testResettingAPoolKeepsWhatIsStored(): void
    {
        $this->save('key', 1);
        $this->pool->saveDeferred($this->pool->getItem('later')->set(2));
        $this->pool->reset();
        $this->assertSame([1, 2], [$this->pool->getItem('key')->get(), $this->pool->getItem('later')->get()]);
    }

    public function testWithoutWarningsOnTheCommandLine(): void
    {
        set_error_handler(fn (int $no, string $text) => throw new ErrorException($text));
        try {
            $this->assertTrue(ApcuAdapter::isSupported());
            $pool = $this->pool();
            $this->assertTrue($pool->save($pool->getItem('key')->set(1)) && $pool->clear());
        } finally {
            restore_error_handler();
        }
    }
}
