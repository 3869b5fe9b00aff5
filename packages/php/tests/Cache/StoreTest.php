<?php

declare(strict_types=1);

namespace Larder\Tests\Cache;

use Larder\Cache\MemoryStore;
use Larder\Cache\PinnedStore;
use Larder\Cache\Store;
use Larder\Cache\VolatileStore;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests that all stores behave alike, so that tests with the fake store (MemoryStore) are valid for all. */
final class StoreTest extends TestCase
{
    private static float $now = 1e9;

    /** @return iterable<string, array{\Closure(): Store}> */
    public static function stores(): iterable
    {
        yield 'volatile' => [static fn(): Store => new VolatileStore('store test')];
        yield 'pinned' => [static fn(): Store => new PinnedStore('store test')];
        yield 'memory' => [static fn(): Store => new MemoryStore(static fn(): float => self::$now)];
    }

    /** @param \Closure(): Store $make */
    #[DataProvider('stores')]
    public function testEveryValueComesBackAsItWas(\Closure $make): void
    {
        $store = $make();
        foreach (Values::all() as $name => [$value]) {
            $this->assertTrue($store->set('key', $value), $name);
            $this->assertEquals($value, $store->get('key', 'miss'), $name);
            $this->assertSame(get_debug_type($value), get_debug_type($store->getMultiple(['key'])['key']), $name);
            $this->assertTrue($store->has('key'), $name);
        }
        $store->clear();
        $this->assertFalse($store->has('key'));
    }

    /** @param \Closure(): Store $make */
    #[DataProvider('stores')]
    public function testWhatCannotBeStoredThrowsATypeErrorAndChangesNothing(\Closure $make): void
    {
        $store = $make();
        $store->clear();
        $store->set('key', 'old');
        foreach (Values::unstorable() as $name => [$value]) {
            foreach ([fn() => $store->set('key', $value), fn() => $store->setMultiple(['new' => 1, 'key' => $value])] as $set) {
                try {
                    $set();
                    $this->fail("$name was stored");
                } catch (\TypeError) {
                    $this->assertSame(['old', null], array_values($store->getMultiple(['key', 'new'])), $name);
                }
            }
        }
        $store->clear();
    }

    /** @param \Closure(): Store $make */
    #[DataProvider('stores')]
    public function testCountersLocksAndTheRest(\Closure $make): void
    {
        $store = $make();
        $store->clear();
        $this->assertSame([1, 11, 10], [$store->increment('n'), $store->increment('n', 10), $store->decrement('n')]);
        $store->set('text', 'x');
        $store->set('max', PHP_INT_MAX);
        $this->assertSame([false, false, 'x', PHP_INT_MAX], [$store->increment('text'), $store->increment('max'), $store->get('text'), $store->get('max')]);
        $this->assertSame([false, true, 10], [$store->add('n', 5), $store->add('m', 5), $store->get('n')]);
        $this->assertSame([true, false, true, true], [$store->delete('m'), $store->delete('m'), $store->deleteMultiple(['n', 'text']), !$store->deleteMultiple(['max', 'none'])]);
        $this->assertSame([true, false, true, false], [$store->lock('l'), $store->lock('l'), $store->unlock('l'), $store->unlock('l')]);
        $this->assertSame(['computed', 'computed', false], [$store->remember('r', fn() => 'computed'), $store->remember('r', fn() => $this->fail()), $store->has('s')]);
        $this->assertSame(['7' => 'default', 'r' => 'computed'], $store->getMultiple(['7', 'r'], ['7' => 'default']));
        class_exists(Values::class); // its file also defines the class Fussy
        $store->set('fussy', new Fussy());
        $this->assertSame([false, true], [$store->increment('fussy'), $store->has('fussy')]);
        $this->assertFalse($store->touch('none', 0));
        $store->clear();
        $this->assertNull($store->get('r'));
    }

    /** @param \Closure(): Store $make */
    #[DataProvider('stores')]
    public function testKeysAndTimesThatMakeNoSense(\Closure $make): void
    {
        $store = $make();
        foreach (['', str_repeat('k', 70000)] as $key) {
            foreach (['get', 'has', 'delete', 'increment', 'lock'] as $method) {
                try {
                    $store->$method($key);
                    $this->fail("$method took a key of " . \strlen($key) . ' bytes');
                } catch (\ValueError) {
                    $this->addToAssertionCount(1);
                }
            }
        }
        foreach ([-1, NAN, INF] as $ttl) {
            try {
                $store->set('key', 1, $ttl);
                $this->fail("took a time of $ttl");
            } catch (\ValueError) {
                $this->addToAssertionCount(1);
            }
        }
    }

    public function testTimesToLive(): void
    {
        $store = new MemoryStore(static fn(): float => self::$now);
        $store->set('a', 1, 10);
        $store->set('b', 2, 0.5);
        $store->lock('l', 1);
        self::$now += 0.6;
        $this->assertSame([1, null], array_values($store->getMultiple(['a', 'b'])));
        $store->touch('a', 100);
        self::$now += 50;
        $this->assertSame([1, true], [$store->get('a'), $store->lock('l')]);
        self::$now += 50;
        $this->assertNull($store->get('a'));
    }

    public function testAPinnedStoreHasNoTimesAndKeepsToItself(): void
    {
        $store = new PinnedStore('one');
        $other = new PinnedStore('other');
        $store->set('key', 1);
        $other->set('key', 2);
        $store->clear();
        $this->assertSame([null, 2], [$store->get('key'), $other->get('key')]);
        $other->clear();
        foreach ([fn() => $store->set('key', 1, 5), fn() => $store->increment('key', 1, 5), fn() => $store->remember('key', fn() => 1, 5), fn() => new PinnedStore('a:b'), fn() => new PinnedStore('')] as $wrong) {
            try {
                $wrong();
                $this->fail();
            } catch (\ValueError $error) {
                $this->assertMatchesRegularExpression('/\$ttl must be 0|at least one byte and no colon/', $error->getMessage());
            }
        }
    }

    public function testAnObjectInTheFakeIsNotChangedByTheOriginal(): void
    {
        $store = new MemoryStore();
        $object = new Point(1);
        $store->set('key', $object);
        $object->x = 2;
        $this->assertEquals(new Point(1), $store->get('key'));
        $this->assertNotSame($store->get('key'), $store->get('key'));
    }

    public function testAMissingExtensionGivesOneSentenceAndAFallback(): void
    {
        $code = 'error_reporting(0); require $argv[1];'
            . ' try { new Larder\Cache\SimpleCache("x"); } catch (Psr\SimpleCache\CacheException $e) { echo get_class($e), ": ", $e->getMessage(), "\n"; }'
            . ' try { new Larder\Cache\ItemPool(new Larder\Cache\PinnedStore("x")); } catch (Psr\Cache\CacheException $e) { echo $e->getMessage(), "\n"; }'
            . ' try { (new Larder\Laravel\LarderConnector())->connect([])->size(); } catch (Psr\Cache\CacheException $e) { echo $e->getMessage(), "\n"; }'
            . ' $pool = new Larder\Cache\ItemPool(Larder\Cache\VolatileStore::withFallback("x", new Larder\Cache\MemoryStore()));'
            . ' $pool->save($pool->getItem("key")->set([1])); echo json_encode($pool->getItem("key")->get());';
        $autoload = (getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib') . '/vendor/autoload.php';
        $answer = shell_exec(escapeshellarg(PHP_BINARY) . ' -n -r ' . escapeshellarg($code) . ' -- ' . escapeshellarg($autoload));
        $sentence = 'The PHP extension "larder" is not loaded: install it and put "extension=larder" into php.ini.';
        $this->assertSame("Larder\\Cache\\Exception\\ExtensionMissing: $sentence\n$sentence\n$sentence\n[1]", $answer);
    }

    public function testAnExtensionThatIsSwitchedOffIsAFallbackToo(): void
    {
        $this->assertInstanceOf(VolatileStore::class, VolatileStore::withFallback('x', new MemoryStore()));
        $code = 'require $argv[1]; echo get_class(Larder\Cache\VolatileStore::withFallback("x", new Larder\Cache\MemoryStore())), "\n";'
            . ' $cache = new Larder\Cache\SimpleCache("x"); var_dump($cache->set("a", 1), $cache->get("a", "default"), $cache->clear());';
        preg_match('~ (/\S+/larder\.so)$~m', (string) file_get_contents('/proc/self/maps'), $module);
        $autoload = (getenv('LARDER_LIB') ?: \dirname(__DIR__, 4) . '/build/lib') . '/vendor/autoload.php';
        $answer = shell_exec(escapeshellarg(PHP_BINARY) . ' -n -d error_reporting=0 -d larder.enable_cli=0 -d extension=' . escapeshellarg($module[1]) . ' -r ' . escapeshellarg($code) . ' -- ' . escapeshellarg($autoload));
        $this->assertStringStartsWith("Larder\\Cache\\MemoryStore\nbool(false)\nstring(7) \"default\"\n", (string) $answer);
    }
}
