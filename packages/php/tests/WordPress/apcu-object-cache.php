<?php

declare(strict_types=1);

/* An object cache for WordPress on APCu, for comparison. As in other drop-ins, a key consists of a salt, the group and the key, and a flush
 * removes all entries with the salt. */

final class WP_Object_Cache
{
    public int $cache_hits = 0;
    public int $cache_misses = 0;
    private array $local = [];
    private array $global = [];
    private array $transient = [];
    private string $blog;

    public function __construct()
    {
        $this->blog = is_multisite() ? get_current_blog_id() . ':' : '';
    }

    private function id($key, $group): string
    {
        $group = $group ?: 'default';
        return WP_CACHE_KEY_SALT . ':' . (isset($this->global[$group]) ? '' : $this->blog) . "$group:$key";
    }

    public function get($key, $group, $force = false, &$found = null)
    {
        $id = $this->id($key, $group);
        if (!$force && array_key_exists($id, $this->local)) {
            $found = true;
            $value = $this->local[$id];
        } elseif (isset($this->transient[$group ?: 'default'])) {
            $found = false;
        } else {
            $value = apcu_fetch($id, $found);
            $found && $this->local[$id] = $value;
        }
        $found ? $this->cache_hits++ : $this->cache_misses++;
        return $found ? (is_object($value) ? clone $value : $value) : false;
    }

    public function get_multiple($keys, $group, $force = false): array
    {
        $ids = $asked = [];
        foreach ($keys as $key) {
            $ids[$key] = $id = $this->id($key, $group);
            if (!isset($this->transient[$group ?: 'default']) && ($force || !array_key_exists($id, $this->local))) {
                $asked[] = $id;
            }
        }
        if ($asked) {
            $this->local = apcu_fetch($asked) + $this->local;
        }
        $values = [];
        foreach ($ids as $key => $id) {
            $found = array_key_exists($id, $this->local);
            $found ? $this->cache_hits++ : $this->cache_misses++;
            $value = $found ? $this->local[$id] : false;
            $values[$key] = is_object($value) ? clone $value : $value;
        }
        return $values;
    }

    public function set($key, $data, $group, $expire): bool
    {
        $id = $this->id($key, $group);
        $this->local[$id] = is_object($data) ? clone $data : $data;
        return isset($this->transient[$group ?: 'default']) || apcu_store($id, $data, max(0, (int) $expire));
    }

    public function add($key, $data, $group, $expire): bool
    {
        if (wp_suspend_cache_addition()) {
            return false;
        }
        $this->get($key, $group, false, $found);
        return !$found && $this->set($key, $data, $group, $expire);
    }

    public function delete($key, $group): bool
    {
        $id = $this->id($key, $group);
        $had = array_key_exists($id, $this->local);
        unset($this->local[$id]);
        return apcu_delete($id) || $had;
    }

    public function incr($key, $offset, $group)
    {
        $value = $this->get($key, $group, true, $found);
        if (!$found) {
            return false;
        }
        $value = max(0, (is_numeric($value) ? $value : 0) + $offset);
        $this->set($key, $value, $group, 0);
        return $value;
    }

    public function flush(): bool
    {
        $this->local = [];
        return apcu_delete(new APCUIterator('/^' . preg_quote(WP_CACHE_KEY_SALT, '/') . ':/'));
    }

    public function runtime(): bool
    {
        $this->local = [];
        return true;
    }

    public function groups(string $kind, $groups): void
    {
        $this->$kind += array_fill_keys((array) $groups, true);
    }

    public function blog($id): void
    {
        $this->blog = is_multisite() ? "$id:" : '';
    }
}

function wp_cache_init()
{
    $GLOBALS['wp_object_cache'] = new WP_Object_Cache();
}
function wp_cache_add($key, $data, $group = '', $expire = 0)
{
    return $GLOBALS['wp_object_cache']->add($key, $data, $group, $expire);
}
function wp_cache_replace($key, $data, $group = '', $expire = 0)
{
    wp_cache_get($key, $group, false, $found);
    return $found && wp_cache_set($key, $data, $group, $expire);
}
function wp_cache_set($key, $data, $group = '', $expire = 0)
{
    return $GLOBALS['wp_object_cache']->set($key, $data, $group, $expire);
}
function wp_cache_get($key, $group = '', $force = false, &$found = null)
{
    return $GLOBALS['wp_object_cache']->get($key, $group, $force, $found);
}
function wp_cache_get_multiple($keys, $group = '', $force = false)
{
    return $GLOBALS['wp_object_cache']->get_multiple($keys, $group, $force);
}
function wp_cache_delete($key, $group = '')
{
    return $GLOBALS['wp_object_cache']->delete($key, $group);
}
function wp_cache_incr($key, $offset = 1, $group = '')
{
    return $GLOBALS['wp_object_cache']->incr($key, $offset, $group);
}
function wp_cache_decr($key, $offset = 1, $group = '')
{
    return $GLOBALS['wp_object_cache']->incr($key, -$offset, $group);
}
function wp_cache_flush()
{
    return $GLOBALS['wp_object_cache']->flush();
}
function wp_cache_flush_runtime()
{
    return $GLOBALS['wp_object_cache']->runtime();
}
function wp_cache_close()
{
    return true;
}
function wp_cache_add_global_groups($groups)
{
    $GLOBALS['wp_object_cache']->groups('global', $groups);
}
function wp_cache_add_non_persistent_groups($groups)
{
    $GLOBALS['wp_object_cache']->groups('transient', $groups);
}
function wp_cache_switch_to_blog($id)
{
    $GLOBALS['wp_object_cache']->blog($id);
}
