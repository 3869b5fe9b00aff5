<?php

declare(strict_types=1);

namespace Larder\Tests\Metrics;

use Larder\Metrics\PrometheusStorage;
use Larder\PinnedCache;
use Larder\Tests\Processes;
use PHPUnit\Framework\TestCase;
use Prometheus\CollectorRegistry;
use Prometheus\RenderTextFormat;
use Prometheus\Storage\InMemory;

/**
 * Tests metrics of promphp/prometheus_client_php in the pinned store. LARDER_PROMETHEUS: the library's folder, unless Composer has
 * installed it.
 */
final class PrometheusStorageTest extends TestCase
{
    protected function setUp(): void
    {
        $folder = getenv('LARDER_PROMETHEUS');
        if ($folder !== false) {
            spl_autoload_register(static function (string $class) use ($folder): void {
                $file = "$folder/src/" . strtr($class, '\\', '/') . '.php';
                if (str_starts_with($class, 'Prometheus\\') && is_file($file)) {
                    require_once $file;
                }
            });
        }
        if (!class_exists(InMemory::class)) {
            self::markTestSkipped('promphp/prometheus_client_php is not installed; LARDER_PROMETHEUS may name its folder');
        }
        PinnedCache::clear();
    }

    public function testTheTextIsThatOfTheLibrarysOwnStorage(): void
    {
        $texts = [];
        foreach ([new PrometheusStorage(), new InMemory()] as $storage) {
            $registry = new CollectorRegistry($storage, false);
            $registry->getOrRegisterCounter('shop', 'orders', 'help', ['kind'])->incBy(3, ['a']);
            $registry->getOrRegisterCounter('shop', 'orders', 'help', ['kind'])->incBy(0.5, ["b\n\"c"]);
            $registry->getOrRegisterGauge('shop', 'load', 'help')->set(2.25);
            $registry->getOrRegisterGauge('shop', 'load', 'help')->decBy(1);
            $histogram = $registry->getOrRegisterHistogram('shop', 'seconds', 'help', ['path'], [0.1, 1, 5]);
            foreach ([0.05, 0.5, 1, 7, 7] as $value) {
                $histogram->observe($value, ['/']);
            }
            $summary = $registry->getOrRegisterSummary('shop', 'size', 'help', [], 600, [0.5, 0.9]);
            foreach ([1, 2, 3, 4] as $value) {
                $summary->observe($value);
            }
            $texts[] = (new RenderTextFormat())->render($registry->getMetricFamilySamples());
        }
        self::assertStringContainsString('shop_orders{kind="a"} 3', $texts[0]);
        self::assertSame($texts[1], $texts[0]);
    }

    public function testProcessesCountExactlyAndWipeIsByPrefix(): void
    {
        PinnedCache::set('other', 1);
        $answers = Processes::run(8, static function (): bool {
            $registry = new CollectorRegistry(new PrometheusStorage(), false);
            for ($n = 0; $n < 500; $n++) {
                $registry->getOrRegisterCounter('app', 'hits', 'help')->inc();
                $registry->getOrRegisterCounter('app', 'half', 'help')->incBy(0.5);
                $registry->getOrRegisterGauge('app', 'level', 'help')->incBy(0.25);
                $registry->getOrRegisterHistogram('app', 'time', 'help', [], [1, 2])->observe(1.5);
            }
            return true;
        });
        self::assertSame(array_fill(0, 8, true), $answers);
        $storage = new PrometheusStorage();
        $text = (new RenderTextFormat())->render((new CollectorRegistry($storage, false))->getMetricFamilySamples());
        foreach (['app_hits 4000', 'app_half 2000', 'app_level 1000', 'app_time_bucket{le="1"} 0', 'app_time_bucket{le="2"} 4000', 'app_time_count 4000', 'app_time_sum 6000'] as $line) {
            self::assertStringContainsString("$line\n", $text);
        }
        $storage->wipeStorage();
        self::assertSame([], $storage->collect());
        self::assertTrue(PinnedCache::has('other'));
    }

    /** Starts a process that counts until it is killed. After each count, it adds 1 to an entry of the pinned store. */
    private static function worker(): int
    {
        $pid = pcntl_fork();
        if ($pid !== 0) {
            return $pid;
        }
        $registry = new CollectorRegistry(new PrometheusStorage(), false);
        while (true) {
            $registry->getOrRegisterCounter('app', 'hits', 'help')->inc();
            PinnedCache::increment('hits');
            $registry->getOrRegisterHistogram('app', 'time', 'help', [], [1, 2])->observe(1.5);
            PinnedCache::increment('times');
        }
    }

    private static function scraped(string $name): int
    {
        $text = (new RenderTextFormat())->render((new CollectorRegistry(new PrometheusStorage(), false))->getMetricFamilySamples());
        return preg_match("/^$name (\\d+)$/m", $text, $found) === 1 ? (int) $found[1] : 0;
    }

    /**
     * For each kill, a count may be larger by one than its entry: a worker may die after it has counted, and before it adds 1 to the entry.
     */
    public function testCountsAreExactWhileWorkersAreKilledAndOthersScrape(): void
    {
        PinnedCache::set('hits', 0);
        PinnedCache::set('times', 0);
        $pids = array_map(static fn(): int => self::worker(), range(1, 8));
        $kills = (int) (getenv('LARDER_PROMETHEUS_KILLS') ?: 40) + \count($pids); // set the variable for a longer test
        $last = 0;
        for ($kill = 0; $pids !== []; $kill++) {
            $hits = self::scraped('app_hits');
            $rises[] = $hits >= $last;
            $last = $hits;
            $victim = array_rand($pids);
            posix_kill($pids[$victim], SIGKILL);
            pcntl_waitpid($pids[$victim], $status);
            if ($kill + \count($pids) < $kills) {
                $pids[$victim] = self::worker();
            } else {
                unset($pids[$victim]);
            }
        }
        self::assertNotContains(false, $rises);
        foreach (['app_hits' => 'hits', 'app_time_count' => 'times', 'app_time_bucket\\{le="2"\\}' => 'times'] as $name => $noted) {
            $more = self::scraped($name) - PinnedCache::get($noted);
            self::assertTrue($more >= 0 && $more <= $kill, "$name: $more more than noted, $kill kills");
        }
    }
}
