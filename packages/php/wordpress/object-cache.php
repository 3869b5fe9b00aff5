<?php

/**
 * Plugin Name: Larder object cache
 * Description: WordPress's object cache in shared memory. A drop-in: copy this file to wp-content/object-cache.php.
 * Requires PHP: 8.2
 *
 * Each group is a pool of Larder's volatile store, so the cost of flushing a group does not depend on its number of entries. A request
 * keeps a copy of each entry that it has read or written, and uses this copy until the request ends, as with WordPress's own cache. If
 * another request flushes the cache, this request keeps its copies. It then writes to the new, empty cache, and reads all other entries
 * from the new cache.
 *
 * Without the extension, WordPress uses its own cache, as if this file were not there.
 *
 * Constants for wp-config.php:
 *   WP_CACHE_KEY_SALT  a text that differs between the installations that share a store; if it is not set, the name of the
 *                      database and the prefix of its tables are used
 *   WP_LARDER_TIER     a Larder\Cache\Tiered\TieredStore, with which several machines share the entries; see docs/hosts.md.
 *                      With a tier, a group consists of the keys on the server that begin with the name of the group. A
 *                      flush of a group takes longer if the group has more keys
 *
 * @license MIT
 */

declare(strict_types=1);

use Larder\Cache\Clearing;
use Larder\Cache\Tiered\Section;
use Larder\Cache\Tiered\ServerTrouble;
use Larder\Cache\Tiered\TieredStore;
use Larder\Pool;
use Larder\VolatileCache;

if (!extension_loaded('larder') || !VolatileCache::info()->available) {
    return;
}

if (!class_exists('WP_Object_Cache', false)) {
    /**
     * Entries of a group are in the pool "wp.SITE.GENERATION.GROUP". GENERATION is a random number in the pool "wp.SITE". Each access reads
     * this number, and a flush replaces it. With a tier, the entries are in the section "wp.SITE.GROUP", which a flush deletes.
     */
    #[AllowDynamicProperties] // WordPress's own class has this attribute, too
    final class Larder_Object_Cache
    {
        private const GENERATION = 'generation';
        /** The maximum length in bytes of a key. A longer key is cut to this length, and its hash is appended. */
        private const KEY = 1000;

        public int $cache_hits = 0;
        public int $cache_misses = 0;
        /** @var array<string, true> */
        public array $global_groups = [];
        public string $blog_prefix = '';
        public bool $multisite;

        /** @var array<string, true> */
        private array $non_persistent_groups = [];
        /** @var array<string, array<array-key, mixed>> entries that this request knows, by group and key; public only for wp_cache_get() */
        public array $cache = [];
        /** @var array<string, Pool|Section> */
        private array $pools = [];
        private readonly string $site;
        private readonly ?TieredStore $tier;
        private int $generation = 0;
        /** The pool that contains the current generation, or null if there is a tier. */
        private readonly ?Pool $root;

        public function __construct()
        {
            global $table_prefix;
            $this->multisite = is_multisite();
            $this->blog_prefix = $this->multisite ? get_current_blog_id() . ':' : '';
            $prefix = is_string($table_prefix) ? $table_prefix : '';
            $salt = defined('WP_CACHE_KEY_SALT') ? constant('WP_CACHE_KEY_SALT') : DB_HOST . "\0" . DB_NAME . "\0$prefix\0" . ABSPATH;
            $this->site = 'wp.' . substr(hash('sha256', is_string($salt) ? $salt : serialize($salt)), 0, 16);
            $tier = defined('WP_LARDER_TIER') ? constant('WP_LARDER_TIER') : null;
            $tier === null || $tier instanceof TieredStore || throw new TypeError('WP_LARDER_TIER must be a ' . TieredStore::class . ', ' . get_debug_type($tier) . ' given');
            $this->tier = $tier;
            $this->root = $tier === null ? VolatileCache::pool($this->site) : null;
        }

        public function add(mixed $key, mixed $data, mixed $group = 'default', mixed $expire = 0): bool
        {
            $key = larder_wp_key($key, 'add');
            if ($key === null || wp_suspend_cache_addition()) {
                return false;
            }
            $group = larder_wp_group($group);
            $expire = larder_wp_int($expire);
            $id = $this->id($key, $group);
            if (isset($this->cache[$group]) && array_key_exists($id, $this->cache[$group])) {
                return false;
            }
            if (isset($this->non_persistent_groups[$group])) {
                $this->cache[$group][$id] = self::copy($data);
                return true;
            }
            if (!$this->storeNew($group, $id, $data, $expire)) {
                return false;
            }
            $this->cache[$group][$id] = self::copy($data);
            return true;
        }

        /**
         * @param array<array-key, mixed> $data
         * @return array<array-key, bool>
         */
        public function add_multiple(array $data, mixed $group = '', mixed $expire = 0): array
        {
            $added = [];
            foreach ($data as $key => $value) {
                $added[$key] = $this->add($key, $value, $group, $expire);
            }
            return $added;
        }

        public function replace(mixed $key, mixed $data, mixed $group = 'default', mixed $expire = 0): bool
        {
            $found = false;
            $key = larder_wp_key($key, 'replace');
            if ($key !== null) {
                $this->find($key, larder_wp_group($group), false, $found);
            }
            return $found && $this->set($key, $data, $group, $expire);
        }

        public function set(mixed $key, mixed $data, mixed $group = 'default', mixed $expire = 0): bool
        {
            $key = larder_wp_key($key, 'set');
            if ($key === null) {
                return false;
            }
            $group = larder_wp_group($group);
            $id = $this->id($key, $group);
            $this->cache[$group][$id] = self::copy($data);
            return isset($this->non_persistent_groups[$group]) || $this->store($group, $id, $data, larder_wp_int($expire));
        }

        /**
         * @param array<array-key, mixed> $data
         * @return array<array-key, bool>
         */
        public function set_multiple(array $data, mixed $group = '', mixed $expire = 0): array
        {
            $set = [];
            foreach ($data as $key => $value) {
                $set[$key] = $this->set($key, $value, $group, $expire);
            }
            return $set;
        }

        /**
         * @param mixed $key an int or a string
         * @param mixed $group
         * @param mixed $force true: fetch the entry from the store even if this request knows it
         * @param bool|null $found
         * @param-out bool $found
         */
        public function get($key, $group = 'default', $force = false, &$found = null): mixed
        {
            $found = false;
            $key = larder_wp_key($key, 'get');
            if ($key === null) {
                return false;
            }
            $value = $this->find($key, larder_wp_group($group), (bool) $force, $found);
            $found ? $this->cache_hits++ : $this->cache_misses++;
            return $value;
        }

        /**
         * Looks up an entry as get() does, but counts neither a hit nor a miss.
         *
         * @param-out bool $found
         */
        private function find(int|string $key, string $group, bool $force, ?bool &$found): mixed
        {
            $id = $this->id($key, $group);
            $persistent = !isset($this->non_persistent_groups[$group]);
            if (isset($this->cache[$group]) && (!$force || !$persistent) && array_key_exists($id, $this->cache[$group])) {
                $value = $this->cache[$group][$id];
            } else {
                $value = $persistent ? $this->fetch($group, $id) : $this;
            }
            if ($value === $this) {
                unset($this->cache[$group][$id]); // with $force
                $found = false;
                return false;
            }
            $found = true;
            $this->cache[$group][$id] = $value;
            return self::copy($value);
        }

        /**
         * @param array<mixed> $keys
         * @return array<array-key, mixed> values by key; false: there is no entry, or the key is invalid
         */
        public function get_multiple(array $keys, mixed $group = 'default', mixed $force = false): array
        {
            $group = larder_wp_group($group);
            $prefix = $this->blog_prefix === '' || isset($this->global_groups[$group]) ? '' : $this->blog_prefix;
            $force = $force && !isset($this->non_persistent_groups[$group]);
            $values = $unknown = [];
            foreach ($keys as $key) {
                if (!is_int($key) && larder_wp_key($key, 'get') === null) {
                    $values[is_scalar($key) ? (string) $key : ''] = false;
                    $this->cache_hits--;
                    continue;
                }
                /** @var int|string $key */
                $value = $force ? null : $this->cache[$group][$prefix === '' ? $key : $prefix . $key] ?? null;
                $values[$key] = is_object($value) ? clone $value : $value;
                if ($value === null) { // not known, or null
                    $unknown[$key] = $this->id($key, $group);
                }
            }
            $this->cache_hits += count($values) - count($unknown);
            return $unknown === [] ? $values : $this->complete($values, $unknown, $group, $force);
        }

        /**
         * @param array<array-key, mixed> $values
         * @param array<array-key, string> $unknown by key: the id of each entry that this request does not know
         * @return array<array-key, mixed>
         */
        private function complete(array $values, array $unknown, string $group, bool $force): array
        {
            $here = $this->cache[$group] ?? [];
            if (!isset($this->non_persistent_groups[$group])) {
                $this->load($group, array_values($force ? $unknown : array_filter($unknown, fn(string $id): bool => !array_key_exists($id, $here))));
                $here = $this->cache[$group] ?? [];
            }
            foreach ($unknown as $key => $id) {
                $found = array_key_exists($id, $here);
                $found ? $this->cache_hits++ : $this->cache_misses++;
                $values[$key] = $found ? self::copy($here[$id]) : false;
            }
            return $values;
        }

        public function delete(mixed $key, mixed $group = 'default', mixed $deprecated = false): bool
        {
            $key = larder_wp_key($key, 'delete');
            if ($key === null) {
                return false;
            }
            $group = larder_wp_group($group);
            $id = $this->id($key, $group);
            $had = isset($this->cache[$group]) && array_key_exists($id, $this->cache[$group]);
            unset($this->cache[$group][$id]);
            return isset($this->non_persistent_groups[$group]) ? $had : $this->pool($group)->delete($id) || $had;
        }

        /**
         * @param array<mixed> $keys
         * @return array<array-key, bool>
         */
        public function delete_multiple(array $keys, mixed $group = ''): array
        {
            $deleted = [];
            foreach ($keys as $key) {
                $deleted[is_scalar($key) ? (string) $key : ''] = $this->delete($key, $group);
            }
            return $deleted;
        }

        public function incr(mixed $key, mixed $offset = 1, mixed $group = 'default'): int|float|false
        {
            $key = larder_wp_key($key, 'incr');
            return $key === null ? false : $this->count($key, larder_wp_int($offset), larder_wp_group($group));
        }

        public function decr(mixed $key, mixed $offset = 1, mixed $group = 'default'): int|float|false
        {
            $key = larder_wp_key($key, 'decr');
            return $key === null ? false : $this->count($key, -larder_wp_int($offset), larder_wp_group($group));
        }

        private function count(int|string $key, int|float $offset, string $group): int|float|false
        {
            $found = false;
            $value = $this->find($key, $group, true, $found);
            if (!$found) {
                return false;
            }
            $id = $this->id($key, $group);
            $sum = max(0, (is_numeric($value) ? $value + 0 : 0) + $offset);
            // Change the int in one step, because this keeps the time to live. If the entry has expired meanwhile, the new entry lives for
            // one second.
            if (is_int($value) && $value !== PHP_INT_MIN && is_int($sum) && !isset($this->non_persistent_groups[$group])) {
                $counted = $this->pool($group)->increment($id, $sum - $value, 1);
                if ($counted !== false && $counted < 0) { // other requests have decremented the int, too
                    $counted = $this->pool($group)->increment($id, -$counted, 1);
                }
                if ($counted !== false && $counted >= 0) {
                    return $this->cache[$group][$id] = $counted;
                }
            }
            $this->set($key, $sum, $group, isset($this->non_persistent_groups[$group]) ? 0 : $this->left($group, $id));
            return $sum;
        }

        /** Returns the seconds until an entry expires; 0 if it has no time limit. */
        private function left(string $group, string $id): int
        {
            $pool = $this->pool($group);
            return (int) ceil($pool instanceof Section ? $pool->left($id) : $pool->keyInfo($id)->ttl ?? 0);
        }

        /** Removes all entries of this installation. */
        public function flush(): bool
        {
            $this->cache = [];
            if ($this->tier !== null) {
                return $this->tier->clearPrefix("$this->site.");
            }
            // A new generation hides all old entries. The store reuses their memory when it is full.
            if ($this->root?->set(self::GENERATION, random_int(1, PHP_INT_MAX)) ?? false) {
                return true;
            }
            // The generation could not be changed. Clear at least the groups that this request uses.
            foreach ($this->pools as $pool) {
                $pool->clear();
            }
            return false;
        }

        public function flush_runtime(): bool
        {
            $this->cache = [];
            return true;
        }

        /** Forgets the request's entries, except those of global groups. Deprecated, as in WordPress's own cache. */
        public function reset(): void
        {
            $this->cache = array_intersect_key($this->cache, $this->global_groups);
        }

        public function flush_group(mixed $group): bool
        {
            if (!is_scalar($group) || (string) $group === '') { // WordPress's own cache does not flush "default" for an empty name
                return true;
            }
            $group = (string) $group;
            unset($this->cache[$group]);
            return isset($this->non_persistent_groups[$group]) || $this->pool($group)->clear();
        }

        /** @param mixed $groups a name, or an array of names */
        public function add_global_groups(mixed $groups): void
        {
            foreach ((array) $groups as $group) {
                $this->global_groups[larder_wp_group($group)] = true;
            }
        }

        /** @param mixed $groups a name, or an array of names */
        public function add_non_persistent_groups(mixed $groups): void
        {
            foreach ((array) $groups as $group) {
                $this->non_persistent_groups[larder_wp_group($group)] = true;
            }
        }

        public function switch_to_blog(mixed $blog): void
        {
            $this->blog_prefix = $this->multisite ? larder_wp_int($blog) . ':' : '';
        }

        public function stats(): void
        {
            $info = VolatileCache::info();
            printf('<p><strong>Cache Hits:</strong> %d<br /><strong>Cache Misses:</strong> %d<br />', $this->cache_hits, $this->cache_misses);
            printf('<strong>Shared memory:</strong> %s, %d of %d KiB, %s</p><ul>', htmlspecialchars($info->shared_model), $info->shared_memory >> 10, $info->configured_memory >> 10, larder_wp_entries($info->entry_count));
            foreach ($this->cache as $group => $entries) {
                printf('<li><strong>Group:</strong> %s - %s in this request</li>', htmlspecialchars((string) $group), larder_wp_entries(count($entries)));
            }
            echo '</ul>';
        }

        private function id(int|string $key, string $group): string
        {
            $id = $this->blog_prefix === '' || isset($this->global_groups[$group]) ? (string) $key : $this->blog_prefix . $key;
            return strlen($id) <= self::KEY ? $id : substr($id, 0, self::KEY) . hash('sha256', $id);
        }

        /** Returns the pool of a group in the present generation. Call this before each access. */
        private function pool(string $group): Pool|Section
        {
            if ($this->tier !== null) {
                return $this->pools[$group] ??= $this->tier->section("$this->site.$group\0");
            }
            $generation = $this->root?->get(self::GENERATION);
            if ($generation !== $this->generation) {
                $this->generation = is_int($generation) ? $generation : $this->makeGeneration();
                $this->pools = [];
            }
            return $this->pools[$group]
                ??= VolatileCache::pool($this->site . '.' . dechex($this->generation) . '.' . (strlen($group) <= 200 ? $group : hash('sha256', $group)));
        }

        /** Stores a new generation if there is none. Returns the stored one. */
        private function makeGeneration(): int
        {
            for ($try = 0; $try < 8; $try++) {
                $new = random_int(1, PHP_INT_MAX);
                $generation = $this->root?->add(self::GENERATION, $new) ? $new : $this->root?->get(self::GENERATION);
                if (is_int($generation)) {
                    return $generation;
                }
            }
            return random_int(1, PHP_INT_MAX);
        }

        private function fetch(string $group, string $id): mixed
        {
            try {
                return $this->pool($group)->get($id, $this);
            } catch (Throwable $error) { // a hook of the stored class has thrown
                $error instanceof ServerTrouble && throw $error;
                return $this;
            }
        }

        /** @param list<string> $ids */
        private function load(string $group, array $ids): void
        {
            if ($ids === []) {
                return;
            }
            try {
                $found = $this->pool($group)->getMultiple($ids, array_fill_keys($ids, $this));
            } catch (Throwable $error) { // a hook of one of the values has thrown
                $error instanceof ServerTrouble && throw $error;
                $found = [];
                foreach ($ids as $id) {
                    $found[$id] = $this->fetch($group, $id);
                }
            }
            foreach ($found as $id => $value) {
                if ($value !== $this) {
                    $this->cache[$group][$id] = $value;
                } else {
                    unset($this->cache[$group][$id]);
                }
            }
        }

        /**
         * Stores an entry if get() finds none. Returns false if get() finds an entry, otherwise true.
         *
         * true does not mean that the value was stored: $expire may be below 0, the store may have no room, or the type may be unsuitable.
         */
        private function storeNew(string $group, string $id, mixed $data, int $expire): bool
        {
            for ($try = 0;; $try++) {
                try {
                    if ($expire >= 0 && $this->pool($group)->add($id, $data, $expire)) {
                        return true;
                    }
                } catch (Throwable $error) { // the value cannot be stored
                    $error instanceof ServerTrouble && throw $error;
                }
                if ($this->fetch($group, $id) !== $this) {
                    return false;
                }
                if ($try > 0 || $expire < 0 || !$this->pool($group)->has($id)) {
                    return true;
                }
                $this->pool($group)->delete($id); // a hook of the old value throws, so the value counts as missing
            }
        }

        private function store(string $group, string $id, mixed $data, int $expire): bool
        {
            try {
                if ($expire >= 0 && $this->pool($group)->set($id, $data, $expire)) {
                    return true;
                }
            } catch (Throwable $error) { // the value cannot be stored
                $error instanceof ServerTrouble && throw $error;
            }
            $this->pool($group)->delete($id); // other requests must not get the old value
            return $expire < 0; // a negative $expire only deletes the entry
        }

        private static function copy(mixed $data): mixed
        {
            return is_object($data) ? clone $data : $data;
        }
    }
    class_alias('Larder_Object_Cache', 'WP_Object_Cache'); // the name for plugins
}

if (!function_exists('wp_cache_init')) {
    function wp_cache_init(): void
    {
        $GLOBALS['wp_object_cache'] = new Larder_Object_Cache();
    }

    function larder_wp_cache(): Larder_Object_Cache
    {
        global $wp_object_cache;
        /** @var Larder_Object_Cache $wp_object_cache */
        return $wp_object_cache;
    }

    /**
     * Returns the key if it is an int, or a string that has a character other than a space. Otherwise reports the wrong call of $method,
     * and returns null.
     */
    function larder_wp_key(mixed $key, string $method): int|string|null
    {
        if (is_int($key) || is_string($key) && trim($key) !== '') {
            return $key;
        }
        if (function_exists('_doing_it_wrong')) {
            $message = is_string($key) ? 'Cache key must not be an empty string.' : sprintf('Cache key must be an integer or a non-empty string, %s given.', gettype($key));
            _doing_it_wrong('WP_Object_Cache::' . $method, esc_html($message), '6.1.0');
        }
        return null;
    }

    function larder_wp_int(mixed $number): int
    {
        return is_scalar($number) ? (int) $number : 0;
    }

    function larder_wp_group(mixed $group): string
    {
        return (is_scalar($group) ? (string) $group : '') ?: 'default';
    }

    function larder_wp_entries(int $count): string
    {
        return $count . ($count === 1 ? ' entry' : ' entries');
    }

    function wp_cache_add(mixed $key, mixed $data, mixed $group = '', mixed $expire = 0): bool
    {
        return larder_wp_cache()->add($key, $data, $group, $expire);
    }

    /**
     * @param array<array-key, mixed> $data
     * @return array<array-key, bool>
     */
    function wp_cache_add_multiple(array $data, mixed $group = '', mixed $expire = 0): array
    {
        return larder_wp_cache()->add_multiple($data, $group, $expire);
    }

    function wp_cache_replace(mixed $key, mixed $data, mixed $group = '', mixed $expire = 0): bool
    {
        return larder_wp_cache()->replace($key, $data, $group, $expire);
    }

    function wp_cache_set(mixed $key, mixed $data, mixed $group = '', mixed $expire = 0): bool
    {
        return larder_wp_cache()->set($key, $data, $group, $expire);
    }

    /**
     * @param array<array-key, mixed> $data
     * @return array<array-key, bool>
     */
    function wp_cache_set_multiple(array $data, mixed $group = '', mixed $expire = 0): array
    {
        return larder_wp_cache()->set_multiple($data, $group, $expire);
    }

    /**
     * A page calls this function thousands of times. So a value that this request already knows is returned without a call of get().
     *
     * @param mixed $key
     * @param mixed $group
     * @param mixed $force
     * @param bool|null $found
     * @param-out bool $found
     */
    function wp_cache_get($key, $group = '', $force = false, &$found = null): mixed
    {
        global $wp_object_cache;
        /** @var Larder_Object_Cache $wp_object_cache */
        if (!$force && (is_string($key) || is_int($key)) && is_string($group)) {
            $group = $group ?: 'default';
            $prefix = $wp_object_cache->blog_prefix;
            $id = $prefix === '' || isset($wp_object_cache->global_groups[$group]) ? $key : $prefix . $key;
            $value = $wp_object_cache->cache[$group][$id] ?? null;
            if ($value !== null) {
                $found = true;
                $wp_object_cache->cache_hits++;
                return is_object($value) ? clone $value : $value;
            }
        }
        return $wp_object_cache->get($key, $group, $force, $found);
    }

    /**
     * @param array<mixed> $keys
     * @return array<array-key, mixed>
     */
    function wp_cache_get_multiple(mixed $keys, mixed $group = '', mixed $force = false): array
    {
        return $keys === [] ? [] : larder_wp_cache()->get_multiple((array) $keys, $group, $force);
    }

    function wp_cache_delete(mixed $key, mixed $group = ''): bool
    {
        return larder_wp_cache()->delete($key, $group);
    }

    /**
     * @param array<mixed> $keys
     * @return array<array-key, bool>
     */
    function wp_cache_delete_multiple(array $keys, mixed $group = ''): array
    {
        return larder_wp_cache()->delete_multiple($keys, $group);
    }

    function wp_cache_incr(mixed $key, mixed $offset = 1, mixed $group = ''): int|float|false
    {
        return larder_wp_cache()->incr($key, $offset, $group);
    }

    function wp_cache_decr(mixed $key, mixed $offset = 1, mixed $group = ''): int|float|false
    {
        return larder_wp_cache()->decr($key, $offset, $group);
    }

    function wp_cache_flush(): bool
    {
        // `wp cache flush` must fail if it cannot flush the web server's cache.
        if (defined('WP_CLI') && WP_CLI && !defined('WP_LARDER_TIER') && class_exists(Clearing::class)) {
            $trouble = Clearing::reachesNot();
            $warning = $trouble !== null ? "The object cache was not flushed: $trouble" : Clearing::unseen();
            $say = ['WP_CLI', 'warning'];
            $warning !== null && is_callable($say) && $say($warning);
            if ($trouble !== null) {
                return false;
            }
        }
        return larder_wp_cache()->flush();
    }

    function wp_cache_flush_runtime(): bool
    {
        return larder_wp_cache()->flush_runtime();
    }

    function wp_cache_flush_group(mixed $group): bool
    {
        return larder_wp_cache()->flush_group($group);
    }

    function wp_cache_supports(string $feature): bool
    {
        return in_array($feature, ['add_multiple', 'set_multiple', 'get_multiple', 'delete_multiple', 'flush_runtime', 'flush_group'], true);
    }

    function wp_cache_close(): bool
    {
        return true;
    }

    function wp_cache_add_global_groups(mixed $groups): void
    {
        larder_wp_cache()->add_global_groups($groups);
    }

    function wp_cache_add_non_persistent_groups(mixed $groups): void
    {
        larder_wp_cache()->add_non_persistent_groups($groups);
    }

    function wp_cache_switch_to_blog(mixed $blog_id): void
    {
        larder_wp_cache()->switch_to_blog($blog_id);
    }

    function wp_cache_reset(): void
    {
        larder_wp_cache()->reset();
    }
}
