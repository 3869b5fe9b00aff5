<?php

declare(strict_types=1);

namespace Larder\Tests\Recipes;

use Larder\Cache\Tiered\TieredStore;
use Larder\Tests\Processes;
use Larder\Tests\Tiered\ArrayServer;
use Larder\VolatileCache;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;

/** Tests the drop-in (object-cache.php) without WordPress. ../WordPress compares WordPress with and without it. */
final class WordPressTest extends TestCase
{
    public static function setUpBeforeClass(): void
    {
        \define('WP_CACHE_KEY_SALT', 'recipes');
        eval('function is_multisite(): bool { return false; } function wp_suspend_cache_addition(): bool { return false; }
            function esc_html(string $text): string { return $text; } function _doing_it_wrong(string $name, string $message, string $version): void { $GLOBALS["wrong"][] = $name; }');
        require \dirname(__DIR__, 2) . '/wordpress/object-cache.php';
    }

    protected function setUp(): void
    {
        wp_cache_init();
        wp_cache_flush();
    }

    public function testWhatIsCountedKeepsItsTimeToLive(): void
    {
        foreach (['int' => 5, 'text' => '5', 'float' => 5.5, 'no number' => 'x'] as $key => $value) {
            wp_cache_set($key, $value, 'counts', 1000);
            wp_cache_set("$key, for ever", $value, 'counts');
            $sum = (is_numeric($value) ? $value + 0 : 0) + 2;
            $this->assertSame([$sum, $sum], [wp_cache_incr($key, 2, 'counts'), wp_cache_incr("$key, for ever", 2, 'counts')]);
            $this->assertSame($sum, (new \Larder_Object_Cache())->get($key, 'counts'), 'in another request');
            $left = self::left('counts', $key);
            $this->assertTrue($left > 900 && $left <= 1000, "$key: $left");
            $this->assertNull(self::left('counts', "$key, for ever"));
        }
    }

    /** As in WordPress's own cache, only reads must count as hits and misses. Plugins show these numbers. */
    public function testOnlyReadsCountHitsAndMisses(): void
    {
        $cache = new \Larder_Object_Cache();
        $this->assertSame([false, false, false], [$cache->incr('n'), $cache->decr('n'), $cache->replace('n', 1)]);
        $cache->set('n', 1);
        $this->assertSame([3, 2, true], [$cache->incr('n', 2), $cache->decr('n'), $cache->replace('n', 7)]);
        $this->assertSame([0, 0], [$cache->cache_hits, $cache->cache_misses]);
        $this->assertSame([7, false], [$cache->get('n'), $cache->get('missing')]);
        $this->assertSame([1, 1], [$cache->cache_hits, $cache->cache_misses]);
    }

    #[DataProvider('tiers')]
    public function testARequestGoesOnWithTheNewCacheAfterAnotherOneHasFlushed(bool $tier): void
    {
        $this->assertSame(array_fill_keys(['set', 'delete', 'flush_group', 'incr', 'add', 'evicted'], 'right'), self::inProcess($tier, static function (): array {
            $seen = [];
            foreach (['set', 'delete', 'flush_group', 'incr', 'add', 'evicted'] as $operation) {
                $running = new \Larder_Object_Cache();
                $running->set('k', 1, 'options');
                $running->flush_runtime();
                $other = new \Larder_Object_Cache();
                if ($operation === 'evicted') {
                    VolatileCache::pool(self::site())->delete('generation');
                } else {
                    $other->flush();
                }
                $operation === 'add' || (new \Larder_Object_Cache())->set('k', 5, 'options');
                $done = match ($operation) {
                    'set', 'evicted' => $running->set('k', 'new', 'options'),
                    'delete' => $running->delete('k', 'options'),
                    'flush_group' => $running->flush_group('options'),
                    'incr' => $running->incr('k', 1, 'options'),
                    'add' => $running->add('k', 'new', 'options'),
                };
                $now = (new \Larder_Object_Cache())->get('k', 'options');
                $seen[$operation] = [$done, $now] === match ($operation) {
                    'set', 'evicted', 'add' => [true, 'new'],
                    'delete', 'flush_group' => [true, false],
                    'incr' => [6, 6],
                } ? 'right' : [$done, $now];
            }
            return $seen;
        }));
    }

    #[DataProvider('tiers')]
    public function testAnEntryThatCannotBeReadGivesWayToAnAddedOne(bool $tier): void
    {
        Processes::run(1, static function (): void { // this process has the classes of an old release of a plugin
            eval('final class Larder_Test_Changed { public int $a = 1; } final class Larder_Test_Hook { public function __serialize(): array { return [1]; } public function __unserialize(array $data): void {} }
                final class Larder_Test_Type { public function __serialize(): array { return [1]; } public function __unserialize(array $data): void {} }');
            $cache = new \Larder_Object_Cache();
            $cache->set('changed', new \Larder_Test_Changed(), 'objects');
            $cache->set('hook', new \Larder_Test_Hook(), 'objects');
            $cache->set('type', new \Larder_Test_Type(), 'objects');
        });
        $this->assertSame(array_fill_keys(['changed', 'hook', 'type'], [false, true, false, 'new', 'new']), self::inProcess($tier, static function () use ($tier): array {
            eval('final class Larder_Test_Changed { public int $a = 1; public string $b = "b"; } final class Larder_Test_Hook { public int $n = 1;
                public function __serialize(): array { return [1]; } public function __unserialize(array $data): void { throw new \Exception("a hook says no"); } }
                final class Larder_Test_Type { public function __serialize(): array { return [1]; } public function __unserialize(array $data): void { throw new \TypeError("a property has another type now"); } }');
            if ($tier) { // values that cannot be read
                self::$server->write(['wp:' . self::site() . ".objects\0changed" => "\x01no text of a serializer", 'wp:' . self::site() . ".objects\0hook" => "\x01" . serialize(new \Larder_Test_Hook()), 'wp:' . self::site() . ".objects\0type" => "\x01" . serialize(new \Larder_Test_Type())], 0);
            }
            $seen = [];
            foreach (['changed', 'hook', 'type'] as $key) {
                $cache = new \Larder_Object_Cache();
                $seen[$key] = [$cache->get($key, 'objects'), $cache->add($key, 'new', 'objects'), (new \Larder_Object_Cache())->add($key, 'again', 'objects'), $cache->get($key, 'objects'), (new \Larder_Object_Cache())->get($key, 'objects')];
            }
            return $seen;
        }));
    }

    /** A process is stopped while it writes the generation, so flush() cannot write it. */
    public function testAFlushThatFindsTheStoreBusyClearsTheGroupsOfItsRequest(): void
    {
        $cache = new \Larder_Object_Cache();
        $groups = array_map(static fn(int $i): string => "group $i", range(1, 32));
        $flushed = $left = null;
        for ($round = 0; $flushed !== false && $round < 1000; $round++) {
            foreach ($groups as $group) {
                $cache->set('k', 1, $group);
            }
            $root = VolatileCache::pool(self::site());
            $generation = $root->get('generation');
            $writer = pcntl_fork();
            for ($end = hrtime(true) + 10e9; $writer === 0;) {
                $root->set('generation', $generation, 1000);
                hrtime(true) < $end || posix_kill(getmypid(), SIGKILL); // end after 10 s, even if the test does not kill this process
            }
            usleep(random_int(1000, 5000));
            posix_kill($writer, SIGSTOP);
            pcntl_waitpid($writer, $status, WUNTRACED);
            $flushed = $cache->flush();
            $other = new \Larder_Object_Cache();
            $left = \count(array_filter($groups, static fn(string $group): bool => $other->get('k', $group) === 1));
            posix_kill($writer, SIGKILL);
            pcntl_waitpid($writer, $status);
        }
        $this->assertFalse($flushed);
        $this->assertLessThan(\count($groups), $left, 'some groups have their state in the part of the store that is busy');
        $this->assertTrue($cache->flush());
    }

    public function testAWrongKeyIsToldWithTheMethodThatGotIt(): void
    {
        $GLOBALS['wrong'] = [];
        $cache = new \Larder_Object_Cache();
        $answers = [$cache->add('', 1), $cache->replace(' ', 1), $cache->set(null, 1), $cache->get(1.5), $cache->get_multiple(["\n"]), $cache->delete(false), $cache->incr("\0"), $cache->decr('')];
        $this->assertSame([false, false, false, false, false, false, false], [...\array_slice($answers, 0, 4), ...\array_slice($answers, 5)]);
        $this->assertSame(array_map(static fn(string $method): string => "WP_Object_Cache::$method", ['add', 'replace', 'set', 'get', 'get', 'delete', 'incr', 'decr']), $GLOBALS['wrong']);
    }

    /** @return iterable<string, array{bool}> */
    public static function tiers(): iterable
    {
        yield 'this host' => [false];
        yield 'tiered' => [true];
    }

    private static ArrayServer $server;

    /** Returns the result of a closure that runs in a separate process. If $tier is true, the cache in this process has a tier. */
    private static function inProcess(bool $tier, \Closure $run): mixed
    {
        return Processes::run(1, static function () use ($tier, $run): mixed {
            self::$server = new ArrayServer();
            $tier && \define('WP_LARDER_TIER', new TieredStore(self::$server, 'wordpress', 'wp:'));
            wp_cache_init();
            return $run();
        })[0];
    }

    private static function site(): string
    {
        return 'wp.' . substr(hash('sha256', 'recipes'), 0, 16);
    }

    private static function left(string $group, string $key): ?float
    {
        $site = self::site();
        return VolatileCache::pool("$site." . dechex(VolatileCache::pool($site)->get('generation')) . ".$group")->keyInfo($key)?->ttl;
    }
}
