<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\CacheManager;
use Illuminate\Contracts\Cache\Repository;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Container\Container;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobProcessed;
use Illuminate\Queue\Events\JobProcessing;
use Illuminate\Queue\Jobs\SyncJob;
use Illuminate\Queue\QueueManager;
use Illuminate\Session\SessionManager;
use Illuminate\Support\ServiceProvider;
use Larder\Cache\Clearing;
use Larder\Cache\Locks;
use Larder\Cache\VolatileStore;

/**
 * Makes `larder` a driver of Laravel's cache, sessions and queues.
 *
 * - Cache: `'stores' => ['larder' => ['driver' => 'larder']]` in config/cache.php. The option 'prefix' (default: cache.prefix) names the
 *   cache's pool. The option 'locks' (default: "larder.locks") is the prefix of its locks in the pinned store.
 * - Sessions: session.store (default: "larder") names a cache store. Sites whose stores have the same prefix share their sessions. See also
 *   LarderSessionHandler.
 * - Queues: see LarderConnector.
 * - Workers: each request of Octane and each job begins with Larder\beginRequest() and ends with Larder\endRequest().
 */
final class LarderServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->app->resolving('cache', fn(CacheManager $manager) => $this->extendCache($manager));
        $this->app->resolving('session', fn(SessionManager $manager) => $this->extendSessions($manager));
        $this->app->resolving('queue', static fn(QueueManager $manager) => $manager->addConnector('larder', static fn() => new LarderConnector()));
        $this->callAfterResolving('events', function (Dispatcher $events): void {
            $this->listenToWorkers($events);
            $events->listen('cache:clearing', function (mixed $store = null): void {
                $manager = $this->app->make('cache');
                $manager instanceof CacheManager && $this->refuseClearing($manager, $store);
            });
        });
        $manager = $this->app->resolved('cache') ? $this->app->make('cache') : null;
        if ($manager instanceof CacheManager) {
            $this->extendCache($manager);
        }
    }

    /** Calls Larder\beginRequest() and Larder\endRequest() around each request of Octane, and each job of queue:work and Horizon. */
    private function listenToWorkers(Dispatcher $events): void
    {
        if (!\function_exists('Larder\beginRequest')) {
            return;
        }
        foreach (['Request', 'Task', 'Tick'] as $part) {
            $events->listen("Laravel\\Octane\\Events\\{$part}Received", static fn() => \Larder\beginRequest());
        }
        // after an error, Octane sends only WorkerErrorOccurred
        foreach (['RequestTerminated', 'TaskTerminated', 'TickTerminated', 'WorkerErrorOccurred'] as $end) {
            $events->listen("Laravel\\Octane\\Events\\$end", static function (): void {
                \Larder\endRequest();
            });
        }
        $events->listen(JobProcessing::class, static function (JobProcessing $event): void {
            $event->job instanceof SyncJob || \Larder\beginRequest();
        });
        foreach ([JobProcessed::class, JobExceptionOccurred::class] as $name) {
            $events->listen($name, static function (JobProcessed|JobExceptionOccurred $event): void {
                $event->job instanceof SyncJob || \Larder\endRequest(); // a synchronous job is a part of its request
            });
        }
    }

    private function extendCache(CacheManager $manager): void
    {
        // not static, because extend() binds the closure to the manager
        $manager->extend('larder', function (Container $app, array $config) use ($manager): Repository {
            $prefix = LarderServiceProvider::text($config['prefix'] ?? LarderServiceProvider::config($app, 'cache.prefix'), '');
            $locks = Locks::pinned(LarderServiceProvider::text($config['locks'] ?? null, 'larder.locks'));
            return LarderServiceProvider::repository($manager, new LarderStore(new VolatileStore(LarderServiceProvider::pool($prefix)), $locks, $prefix), $config);
        });
    }

    /**
     * Makes a repository with the manager's event dispatcher, if there is one. The repository's events contain the name of the store.
     *
     * @internal
     * @param array<mixed> $config
     */
    public static function repository(CacheManager $manager, LarderStore $store, array $config): Repository
    {
        $events = $manager->repository(...[$store, $config])->getEventDispatcher();
        $repository = new LarderRepository(...[$store, array_intersect_key($config, ['store' => true])]);
        $events === null || $repository->setEventDispatcher($events);
        return $repository;
    }

    /** Makes `artisan cache:clear` fail if it would clear a store that no worker uses. */
    private function refuseClearing(CacheManager $manager, mixed $name): void
    {
        $repository = $manager->store(\is_string($name) && $name !== '' ? $name : null);
        if (!$repository->getStore() instanceof LarderStore) {
            return;
        }
        $trouble = Clearing::reachesNot();
        $trouble === null || throw new \RuntimeException("The cache was not cleared: $trouble");
        $unseen = Clearing::unseen();
        // Write to STDERR, because an exception would keep other listeners from running.
        $unseen === null || fwrite(\STDERR, "Larder: $unseen\n");
    }

    private function extendSessions(SessionManager $manager): void
    {
        $manager->extend('larder', function (Container $app): LarderSessionHandler {
            $minutes = LarderServiceProvider::config($app, 'session.lifetime');
            $store = LarderServiceProvider::text(LarderServiceProvider::config($app, 'session.store'), 'larder');
            $prefix = LarderServiceProvider::config($app, "cache.stores.$store.prefix") ?? LarderServiceProvider::config($app, 'cache.prefix');
            return new LarderSessionHandler('laravel.' . LarderServiceProvider::text($prefix, ''), is_numeric($minutes) ? max(1, (int) ($minutes * 60)) : 7200);
        });
    }

    /** @internal */
    public static function pool(string $prefix): string
    {
        $pool = $prefix === '' ? 'laravel' : "laravel.$prefix";
        return \strlen($pool) <= 255 ? $pool : throw new \InvalidArgumentException(\sprintf("The prefix of a larder store ('prefix' in its array, else cache.prefix) must be at most 247 bytes long, it has %d.", \strlen($prefix)));
    }

    /** @internal */
    public static function config(Container $app, string $name): mixed
    {
        $config = $app->make('config');
        \assert($config instanceof Config);
        return $config->get($name);
    }

    /** @internal */
    public static function text(mixed $value, string $default): string
    {
        return \is_string($value) ? $value : $default;
    }
}
