<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Contracts\Container\Container;
use Illuminate\Session\CacheBasedSessionHandler;
use Illuminate\Session\SessionManager;
use Illuminate\Support\ServiceProvider;
use Larder\Cache\Locks;
use Larder\Cache\VolatileStore;

/**
 * Makes `larder` a driver of Laravel's cache: `'stores' => ['larder' => ['driver' => 'larder']]` in config/cache.php.
 * Options of a store: 'prefix' (else cache.prefix) names the pool, so that stores with the same one share it; 'locks'
 * names the part of the pinned store that has the locks ("larder.locks"). `larder` is a driver of sessions, too; they
 * are in the cache's store that session.store names ("larder").
 */
final class LarderServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->app->resolving('cache', function (object $manager): void {
            $this->extend($manager);
        });
        if ($this->app->resolved('cache')) {
            $this->extend($this->app->make('cache'));
        }
        $this->app->resolving('session', function (object $manager): void {
            \assert($manager instanceof SessionManager);
            $manager->extend('larder', function (Container $app): CacheBasedSessionHandler {
                $store = $app->make('config')->get('session.store');
                $minutes = $app->make('config')->get('session.lifetime');
                $cache = $app->make('cache')->store(\is_string($store) ? $store : 'larder');
                return new CacheBasedSessionHandler(clone $cache, \is_numeric($minutes) ? (int) $minutes : 120);
            });
        });
    }

    /** @param \Illuminate\Cache\CacheManager $manager */
    private function extend(object $manager): void
    {
        // Not static: the manager binds it.
        $manager->extend('larder', function (Container $app, array $config) use ($manager) {
            $prefix = $config['prefix'] ?? $app->make('config')->get('cache.prefix', '');
            $locks = $config['locks'] ?? 'larder.locks';
            \assert(\is_string($prefix) && \is_string($locks));
            return $manager->repository(new LarderStore(new VolatileStore(rtrim("laravel.$prefix", '.')), Locks::pinned($locks), $prefix));
        });
    }
}
