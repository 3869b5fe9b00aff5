<?php

use Illuminate\Cache\ApcStore;
use Illuminate\Cache\ApcWrapper;
use Illuminate\Cache\Repository;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\TestCase;

require_once __DIR__ . '/values.inc';

/** Tests Laravel's ApcStore, by itself and in Laravel's Repository. */
final class LaravelTest extends TestCase
{
    private ApcStore $store;
    private Repository $cache;

    protected function setUp(): void
    {
        apcu_clear_cache();
        $this->store = new ApcStore(new ApcWrapper(), 'laravel:');
        $this->cache = new Repository($this->store);
    }

    #[DataProviderExternal(Values::class, 'all')]
    public function testAValueComesBackAsItWas(mixed $value): void
    {
        $this->assertTrue($this->store->put('key', $value, 60));
        Values::assertSame($value, $this->store->get('key'));
        Values::assertSame($value, $this->store->many(['key', 'absent'])['key']);
    }

    public function testAMissIsNull(): void
    {
        $this->assertNull($this->store->get('absent'));
        $this->assertSame(['a' => null, 'b' => null], $this->store->many(['a', 'b']));
        $this->assertSame('default', $this->cache->get('absent', 'default'));
        $this->assertSame('computed', $this->cache->get('absent', fn () => 'computed'));
    }

    public function testPrefixesKeepStoresApart(): void
    {
        $other = new ApcStore(new ApcWrapper(), 'other:');
        $this->store->forever('key', 1);
        $other->forever('key', 2);
        $this->assertSame([1, 2], [$this->store->get('key'), $other->get('key')]);
        $this->assertSame('laravel:', $this->store->getPrefix());
    }

    public function testCounters(): void
    {
        $this->store->forever('n', 5);
        $this->assertSame([6, 16, 15, 5], [$this->store->increment('n'), $this->store->increment('n', 10), $this->store->decrement('n'), $this->store->decrement('n', 10)]);
        $this->assertSame(5, $this->store->get('n'));
        $this->assertSame([1, -2], [$this->store->increment('new'), $this->store->decrement('newer', 2)]);
        $this->store->forever('text', 'x');
        $this->assertFalse($this->store->increment('text'));
    }

    public function testSeveralAtOnce(): void
    {
        $this->assertTrue($this->store->putMany(['a' => 1, 'b' => [2], 7 => 'seven'], 60));
        $this->assertSame(['a' => 1, 'b' => [2], 7 => 'seven', 'c' => null], $this->store->many(['a', 'b', 7, 'c']));
    }

    public function testForgettingAndFlushing(): void
    {
        $this->store->putMany(['a' => 1, 'b' => 2], 60);
        $this->assertTrue($this->store->forget('a'));
        $this->assertFalse($this->store->forget('a'));
        $this->assertSame([null, 2], [$this->store->get('a'), $this->store->get('b')]);
        $this->assertTrue($this->store->flush());
        $this->assertNull($this->store->get('b'));
    }

    public function testTheRepositorysMethods(): void
    {
        $this->assertTrue($this->cache->put('a', 1, 60));
        $this->assertTrue($this->cache->add('b', 2, 60));
        $this->assertFalse($this->cache->add('b', 3, 60));
        $this->assertSame([true, false, true], [$this->cache->has('a'), $this->cache->has('c'), $this->cache->missing('c')]);
        $this->assertSame(2, $this->cache->pull('b'));
        $this->assertNull($this->cache->get('b'));
        $this->assertSame(['x', 'x'], [$this->cache->remember('r', 60, fn () => 'x'), $this->cache->remember('r', 60, fn () => 'y')]);
        $this->assertSame('z', $this->cache->rememberForever('f', fn () => 'z'));
        $this->assertFalse($this->cache->put('a', 2, 0) && $this->cache->has('a'));
        $this->assertTrue($this->cache->setMultiple(['m' => 1, 'n' => 2], 60) && $this->cache->deleteMultiple(['m', 'n']));
        $this->assertTrue($this->cache->clear());
    }

    public function testTimesToLiveEnd(): void
    {
        $save = function (int $seconds): void {
            $this->store->put('short', 1, $seconds);
            $this->cache->put('until', 1, now()->addSeconds($seconds));
            $this->store->forever('ever', 1);
        };
        $look = fn (): array => array_map($this->store->get(...), ['short', 'until', 'ever']);
        [$first, $last] = seen_through_time($save, $look, [null, null, 1]);
        $this->assertSame([[1, 1], [null, null, 1]], [[$first[0], $first[2]], $last]);
    }

    public function testTagsGroupEntries(): void
    {
        $this->cache->tags(['people', 'artists'])->put('anna', 1, 60);
        $this->cache->tags(['people', 'authors'])->put('bert', 2, 60);
        $this->assertSame(1, $this->cache->tags(['people', 'artists'])->get('anna'));
        $this->assertNull($this->cache->tags(['authors'])->get('anna'));
        $this->cache->tags('artists')->flush();
        $this->assertNull($this->cache->tags(['people', 'artists'])->get('anna'));
        $this->assertSame(2, $this->cache->tags(['people', 'authors'])->get('bert'));
    }
}
