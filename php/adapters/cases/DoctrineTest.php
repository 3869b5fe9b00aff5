<?php

use Doctrine\Common\Cache\ApcuCache;
use Doctrine\Common\Cache\Cache;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/values.inc';

/** Doctrine's ApcuCache. */
final class DoctrineTest extends TestCase
{
    private ApcuCache $cache;

    protected function setUp(): void
    {
        apcu_clear_cache();
        $this->cache = new ApcuCache();
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testAValueComesBackAsItWas(mixed $value): void
    {
        $this->assertTrue($this->cache->save('key', $value));
        Values::assertSame($value, $this->cache->fetch('key'));
        $this->assertTrue($this->cache->contains('key'));
    }

    public function testAMissIsFalse(): void
    {
        $this->assertFalse($this->cache->fetch('absent'));
        $this->assertFalse($this->cache->contains('absent'));
    }

    public function testKeysOfManyKinds(): void
    {
        $keys = ['', ' ', '0', "a\0b", "\0", 'with space', 'Ünïcode', '[brackets]', '%percent', '\\', str_repeat('k', 5000)];
        foreach ($keys as $i => $key) {
            $this->assertTrue($this->cache->save($key, "value $i"), $key);
        }
        foreach ($keys as $i => $key) {
            $this->assertSame("value $i", $this->cache->fetch($key), $key);
        }
    }

    public function testDeletingSucceedsWhetherItIsThereOrNot(): void
    {
        $this->cache->save('key', 1);
        $this->assertTrue($this->cache->delete('key') && $this->cache->delete('key'));
        $this->assertFalse($this->cache->contains('key'));
    }

    public function testSeveralAtOnce(): void
    {
        $this->assertTrue($this->cache->saveMultiple(['a' => 1, 'b' => false, 'c' => null, 7 => 'seven']));
        $this->assertSame(['a' => 1, 'b' => false, 'c' => null, 7 => 'seven'], $this->cache->fetchMultiple(['a', 'b', 'none', 'c', 7]));
        $this->assertSame([], $this->cache->fetchMultiple(['none', 'neither']));
        $this->assertTrue($this->cache->deleteMultiple(['a', 'b']));
        $this->assertSame([false, true], [$this->cache->contains('a'), $this->cache->contains('c')]);
    }

    public function testNamespacesAreSeparateAndDroppedByTheirVersion(): void
    {
        $one = new ApcuCache();
        $two = new ApcuCache();
        $one->setNamespace('one');
        $two->setNamespace('two');
        $one->save('key', 1);
        $two->save('key', 2);
        $this->assertSame([1, 2, false], [$one->fetch('key'), $two->fetch('key'), $this->cache->fetch('key')]);
        $this->assertTrue($one->deleteAll());
        $again = new ApcuCache();
        $again->setNamespace('one');
        $this->assertSame([false, false, 2], [$one->fetch('key'), $again->fetch('key'), $two->fetch('key')]);
        $again->save('key', 3);
        $this->assertSame(3, $one->fetch('key'));
    }

    public function testFlushingRemovesAll(): void
    {
        $this->cache->save('key', 1);
        $this->assertTrue($this->cache->flushAll());
        $this->assertFalse($this->cache->contains('key'));
    }

    public function testLifetimesEnd(): void
    {
        $save = function (int $seconds): void {
            $this->cache->save('short', 1, $seconds);
            $this->cache->saveMultiple(['many' => 1], $seconds);
            $this->cache->save('ever', 1);
        };
        $look = fn (): array => array_map($this->cache->contains(...), ['short', 'many', 'ever']);
        $left = [false, false, true];
        $this->assertSame([[true, true, true], $left], seen_through_time($save, $look, $left));
    }

    public function testStatistics(): void
    {
        $this->cache->save('key', str_repeat('x', 10000));
        $this->cache->fetch('key');
        $this->cache->fetch('absent');
        $stats = $this->cache->getStats();
        $this->assertGreaterThanOrEqual(1, $stats[Cache::STATS_HITS]);
        $this->assertGreaterThanOrEqual(1, $stats[Cache::STATS_MISSES]);
        $this->assertGreaterThan(0, $stats[Cache::STATS_UPTIME]);
        $this->assertGreaterThan(10000, $stats[Cache::STATS_MEMORY_USAGE]);
        $this->assertGreaterThan(1 << 20, $stats[Cache::STATS_MEMORY_AVAILABLE]);
    }
}
