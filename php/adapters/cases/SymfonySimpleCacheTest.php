<?php

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;
use Psr\SimpleCache\InvalidArgumentException;
use Symfony\Component\Cache\Adapter\ApcuAdapter;
use Symfony\Component\Cache\Psr16Cache;

require_once __DIR__ . '/values.inc';

/** Tests Symfony's Psr16Cache on Symfony's ApcuAdapter. */
final class SymfonySimpleCacheTest extends TestCase
{
    private Psr16Cache $cache;

    protected function setUp(): void
    {
        apcu_clear_cache();
        $this->cache = $this->cache();
    }

    private function cache(int $lifetime = 0): Psr16Cache
    {
        return new Psr16Cache(new ApcuAdapter('simple', $lifetime));
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testAValueComesBackAsItWas(mixed $value): void
    {
        $this->assertTrue($this->cache->set('key', $value));
        Values::assertSame($value, $this->cache->get('key', 'default'));
        Values::assertSame($value, iterator_to_array($this->cache()->getMultiple(['key']))['key']);
    }

    public function testAMissGivesTheDefault(): void
    {
        $this->assertSame([null, 'default'], [$this->cache->get('absent'), $this->cache->get('absent', 'default')]);
        $this->assertSame(['a' => 7, 'b' => 7], iterator_to_array($this->cache->getMultiple(['a', 'b'], 7)));
        $this->assertFalse($this->cache->has('absent'));
    }

    public function testSetReplacesAndDeleteRemoves(): void
    {
        $this->assertTrue($this->cache->set('key', 'a') && $this->cache->set('key', 'b'));
        $this->assertSame('b', $this->cache->get('key'));
        $this->assertTrue($this->cache->delete('key') && $this->cache->delete('key'));
        $this->assertFalse($this->cache->has('key'));
    }

    public function testClearRemovesAll(): void
    {
        $this->assertTrue($this->cache->clear());
        $this->cache->setMultiple(['a' => 1, 'b' => 2]);
        $this->assertTrue($this->cache->clear());
        $this->assertFalse($this->cache->has('a') || $this->cache->has('b'));
    }

    public function testSeveralAtOnce(): void
    {
        $this->assertTrue($this->cache->setMultiple(['a' => 1, '7' => 'seven', 'c' => null]));
        $this->assertSame(['a' => 1, 7 => 'seven', 'c' => null, 'd' => 'none'], iterator_to_array($this->cache->getMultiple(['a', '7', 'c', 'd'], 'none')));
        $this->assertTrue($this->cache->deleteMultiple(['a', 'd']));
        $this->assertSame([false, true, true], array_map($this->cache->has(...), ['a', '7', 'c']));
        $this->assertTrue($this->cache->setMultiple([]) && $this->cache->deleteMultiple([]));
        $this->assertSame([], iterator_to_array($this->cache->getMultiple([])));
    }

    public function testGeneratorsAreTaken(): void
    {
        $each = function (mixed ...$values): Generator { yield from $values; };
        $this->assertTrue($this->cache->setMultiple($each(a: 1, b: 2)));
        $this->assertSame(['a' => 1, 'b' => 2], iterator_to_array($this->cache->getMultiple($each('a', 'b'))));
        $this->assertTrue($this->cache->deleteMultiple($each('a')));
        $this->assertSame([false, true], array_map($this->cache->has(...), ['a', 'b']));
    }

    public function testTimesToLive(): void
    {
        $this->cache->set('past', 1);
        $this->assertTrue($this->cache->set('past', 2, -1) && $this->cache->set('zero', 1, 0));
        $save = function (int $seconds): void {
            $this->cache->setMultiple(['a' => 1, 'b' => 2], $seconds);
            $this->cache->set('c', 3, new DateInterval("PT{$seconds}S"));
            $this->cache($seconds)->set('d', 4);
            $this->cache->set('long', 5, 10000);
        };
        $look = fn (): array => array_map($this->cache->has(...), ['past', 'zero', 'a', 'b', 'c', 'd', 'long']);
        $left = [false, false, false, false, false, false, true];
        $this->assertSame([[false, false, true, true, true, true, true], $left], seen_through_time($save, $look, $left));
    }

    #[DataProvider('badKeys')]
    public function testReservedCharactersAreRefused(string $key): void
    {
        $calls = [
            fn () => $this->cache->get($key), fn () => $this->cache->set($key, 1), fn () => $this->cache->has($key),
            fn () => $this->cache->delete($key), fn () => $this->cache->setMultiple([$key => 1]),
            fn () => iterator_to_array($this->cache->getMultiple([$key])), fn () => $this->cache->deleteMultiple([$key]),
        ];
        foreach ($calls as $call) {
            try {
                $call();
                $this->fail('it was taken');
            } catch (InvalidArgumentException) {
            }
        }
        $this->assertSame(0, apcu_cache_info(true)['num_entries']);
    }

    public static function badKeys(): array
    {
        return [[''], ['{a'], ['a}'], ['a(b'], ['a)'], ['a/b'], ['a\\b'], ['a@b'], ['a:b']];
    }

    public function testWhatCannotBeSerializedIsNotSaved(): void
    {
        $this->assertFalse($this->cache->set('key', fn () => 1));
        $this->assertFalse($this->cache->setMultiple(['good' => 1, 'key' => fn () => 1]));
        $this->assertSame([1, false], [$this->cache->get('good'), $this->cache->has('key')]);
    }

    public function testWhatCannotBeRebuiltIsAMiss(): void
    {
        $this->cache->setMultiple(['bad' => new WakesBadly, 'good' => 1]);
        $this->assertNull($this->cache->get('bad'));
        $this->assertNull(iterator_to_array($this->cache->getMultiple(['bad']))['bad']);
        $this->assertSame(1, $this->cache->get('good'));
    }
}
