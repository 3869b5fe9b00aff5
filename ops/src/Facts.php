<?php

declare(strict_types=1);

namespace Larder\Ops;

/**
 * Gathers facts for Diagnosis, in the process that they describe: the command, or a worker of FPM. Facts are arrays of scalars, because
 * FastCGI may send them. The process may lack the extension.
 */
final class Facts
{
    /** Settings that Diagnosis needs and that belong to other modules. */
    private const OTHERS = ['session.save_handler', 'apc.shm_size', 'apc.enabled', 'apc.enable_cli', 'immutable_cache.shm_size', 'immutable_cache.enabled', 'immutable_cache.enable_cli', 'opcache.enable', 'opcache.enable_cli', 'opcache.memory_consumption', 'opcache.jit', 'opcache.jit_buffer_size'];

    /** @return array<string, mixed> */
    public static function gather(string $pool): array
    {
        $loaded = class_exists(\Larder\Inspector::class, false);
        [$uid, $parent] = self::process();
        $settings = self::settings();
        $named = ($settings['larder.scope']['value'] ?? '') !== '' || ($settings['larder.path']['value'] ?? '') !== '';
        $stores = $loaded ? self::stores($named, $named ? self::files($settings, $uid ?? 0) : []) : ['on' => [], 'off' => []];
        $uid ??= self::owner((string) (reset($stores['on'])['path'] ?? ''));
        return [
            'sapi' => PHP_SAPI, 'pool' => $pool, 'php' => PHP_VERSION, 'api' => self::api(), 'uid' => $uid, 'user' => $uid !== null ? self::user($uid) : 'USER',
            'larder' => (string) phpversion('larder'), 'loaded' => $loaded, 'modules' => self::modules(), 'ini' => IniFiles::own()->data(),
            'settings' => $settings, 'layers' => $loaded ? self::layers($settings) : [], 'named' => $named, 'folder' => $named ? self::folder($settings, $uid) : null, 'logout' => $named && $uid !== null && Machine::cleansAtLogout($uid, self::user($uid)),
            'files' => $named ? self::files($settings, $uid ?? 0) : [], 'stores' => $stores, 'opcache' => self::opcache(),
            'proc' => Machine::hasProc(), 'memory' => Machine::memory(), 'limits' => Machine::processLimits(), 'namespaces' => Machine::namespaces(), 'kernel' => Machine::kernel(),
            'dumpable' => PHP_SAPI === 'fpm-fcgi' && $uid !== 0 && @fileowner("/proc/$parent") === 0 && @fileowner('/proc/self/environ') === $uid,
        ];
    }

    /** @return array{?int, int} the ids of the effective user and of the parent process; if /proc can be read, the extension posix is not needed */
    public static function process(): array
    {
        $status = (string) @file_get_contents('/proc/self/status');
        preg_match('/^Uid:\s+\d+\s+(\d+)/m', $status, $user);
        preg_match('/^PPid:\s+(\d+)/m', $status, $parent);
        $uid = $user[1] ?? (function_exists('posix_geteuid') ? posix_geteuid() : null);
        return [$uid !== null ? (int) $uid : null, (int) ($parent[1] ?? 0)];
    }

    /**
     * Returns the user id of the owner of the store's file. If there is no file, returns the user id of this process. If this id is
     * unknown, returns the number in the name of the store's folder, or null.
     */
    public static function owner(string $path): ?int
    {
        $owner = $path !== '' ? @fileowner($path) : false;
        return $owner !== false ? $owner : self::process()[0] ?? (preg_match('~/larder-(\d+)(\.\d)?/[^/]+$~D', $path, $match) ? (int) $match[1] : null);
    }

    /** Returns a user's name, or the number as text if there is no name. For null, returns ''. */
    public static function user(?int $uid): string
    {
        return $uid !== null && preg_match("/^([^:]+):[^:]*:$uid:/m", (string) @file_get_contents('/etc/passwd'), $match) ? $match[1] : (string) $uid;
    }

    /**
     * Returns the stores that replace another cache, such as APCu. A setting of that cache gives the size of the store.
     * @param array<string, array{value: string, configured: ?string}> $settings
     * @return array<string, string> name of the store => setting that gives its size
     */
    private static function layers(array $settings): array
    {
        $value = static fn(string $name): string => $settings[$name]['value'] ?? '';
        $on = static fn(string $name): bool => in_array(strtolower($value($name)), ['1', 'on', 'yes', 'true'], true)
            || ($name === 'immutable_cache.enable_cli' && $settings[$name]['configured'] === null); // this setting is on by default
        $compat = preg_split('/[, \t]+/', strtolower($value('larder.compat'))) ?: [];
        // Larder does not replace a cache if the extension of that cache is loaded
        $mapped = (string) @file_get_contents('/proc/self/maps');
        $layers = [];
        foreach (['apcu' => ['apcu', 'apc'], 'immutable' => ['immutable_cache', 'immutable_cache']] as $store => [$layer, $prefix]) {
            $used = in_array($layer, $compat, true) && isset($settings["$prefix.shm_size"]) && $on("$prefix.enabled") && (PHP_SAPI !== 'cli' || $on("$prefix.enable_cli"));
            if ($used && !str_contains($mapped, "/$layer.so") && ($store === 'apcu' || $value('larder.immutable_size') === '0')) {
                $layers[$store] = "$prefix.shm_size";
            }
        }
        return $layers;
    }

    /** Returns the API for which an extension of this PHP must be built, such as API20220829,NTS. */
    private static function api(): string
    {
        ob_start();
        phpinfo(INFO_GENERAL);
        $text = strip_tags((string) ob_get_clean());
        return preg_match('/PHP Extension Build\W+(API\d+,N?TS(,debug)?)/', $text, $match) ? $match[1] : '';
    }

    /**
     * @return array<string, array{there: bool, readable: bool, api: string}> by path: the files of the extension that ini files name, and
     * the installed file
     */
    private static function modules(): array
    {
        $folder = (string) ini_get('extension_dir');
        $modules = [];
        $values = array_column(IniFiles::own()->loading('larder'), 'value');
        foreach (['larder', ...$values] as $value) {
            $path = self::module($folder, $value);
            $bytes = (string) @file_get_contents($path);
            $modules[$path] = ['there' => file_exists($path), 'readable' => $bytes !== '', 'api' => preg_match('/API\d+,N?TS(,debug)?(?=\0)/', $bytes, $match) ? $match[0] : ''];
        }
        return $modules;
    }

    /** Returns the file that a line "extension = $value" loads. */
    public static function module(string $folder, string $value): string
    {
        return match (true) {
            str_contains($value, '/') => $value,
            file_exists("$folder/$value") => "$folder/$value",
            default => "$folder/$value.so",
        };
    }

    /**
     * @return array<string, array{value: string, configured: ?string}> "value" is in force; "configured" is from an ini file or -d. If
     * "value" and "configured" differ, "value" comes from the configuration of the FPM pool
     */
    private static function settings(): array
    {
        $names = class_exists(\Larder\Inspector::class, false) ? array_keys(ini_get_all('larder') ?: []) : [];
        $settings = ['extension_dir' => ['value' => (string) ini_get('extension_dir'), 'configured' => null]];
        foreach ([...$names, ...self::OTHERS] as $name) {
            $value = ini_get($name);
            $configured = get_cfg_var($name);
            if ($value !== false) {
                $settings[$name] = ['value' => $value, 'configured' => is_string($configured) ? $configured : null];
            }
        }
        return $settings;
    }

    /**
     * @param array<string, array{value: string, configured: ?string}> $settings
     * @return array<string, mixed> the folder in which named stores lie
     */
    private static function folder(array $settings, ?int $uid): array
    {
        $path = ($settings['larder.path']['value'] ?? '') ?: '/dev/shm';
        $own = "$path/larder-$uid";
        clearstatcache();
        $stat = @lstat($own);
        $there = is_dir($path);
        error_clear_last();
        $hidden = !$there && @stat($path) === false && str_contains(error_get_last()['message'] ?? '', 'open_basedir');
        return ['path' => $path, 'there' => $there, 'hidden' => $hidden, 'writable' => is_writable($path), 'own' => $own,
            'kind' => $stat !== false ? self::kind($stat['mode']) : '', 'mode' => $stat !== false ? $stat['mode'] & 0777 : null, 'owner' => $stat !== false ? $stat['uid'] : null, 'inodes' => Machine::inodes($path)]
            + Machine::fileSystem((string) (realpath($path) ?: $path));
    }

    /**
     * @param array<string, array{value: string, configured: ?string}> $settings
     * @return array<string, array{path: string, kind: string, mode: int, owner: int, device: int, inode: int}> files of named stores that
     * exist
     */
    private static function files(array $settings, int $uid): array
    {
        $files = [];
        $folder = ($settings['larder.path']['value'] ?? '') ?: '/dev/shm';
        $scope = ($settings['larder.scope']['value'] ?? '') ?: 'default';
        foreach (Operations::STORES as $name) {
            $path = self::file($name, $scope, $folder, $uid);
            $stat = @lstat($path);
            if ($stat !== false) {
                $files[$name] = ['path' => $path, 'kind' => self::kind($stat['mode']), 'mode' => $stat['mode'] & 0777, 'owner' => $stat['uid'], 'device' => $stat['dev'], 'inode' => $stat['ino']];
            }
        }
        return $files;
    }

    /** Returns the path of a named store. If another user owns the usual folder, the store lies in a folder beside it. */
    private static function file(string $name, string $scope, string $folder, int $uid): string
    {
        try {
            if (class_exists(\Larder\Inspector::class, false)) {
                return \Larder\Inspector::path($name, $scope, $folder);
            }
        } catch (\Larder\StaticCacheException) { // the scope is wrong, or open_basedir forbids the path
        }
        return "$folder/larder-$uid/$scope-$name";
    }

    /** Returns what a path names: "folder", "file", "link" or "other". $mode is from lstat(). */
    private static function kind(int $mode): string
    {
        return match ($mode & 0170000) {
            0040000 => 'folder',
            0100000 => 'file',
            0120000 => 'link',
            default => 'other',
        };
    }

    /**
     * Opens the stores of this process as any program would. The command line opens a named store only if its file exists, and never
     * replaces it.
     * @param array<string, array{path: string, kind: string, mode: int, owner: int, device: int, inode: int}> $files
     * @return array{on: array<string, array<string, mixed>>, off: array<string, string>}
     */
    private static function stores(bool $named, array $files): array
    {
        $stores = ['on' => [], 'off' => []];
        foreach (Operations::STORES as $name) {
            if ($named && PHP_SAPI === 'cli' && !isset($files[$name])) {
                continue;
            }
            try {
                $stats = ($named && PHP_SAPI === 'cli' ? \Larder\Inspector::open($files[$name]['path']) : \Larder\Inspector::own($name))->stats();
                $stores['on'][$name] = ['size' => $stats['size'], 'claimed' => $stats['claimed'], 'path' => $files[$name]['path'] ?? $stats['path'], 'readable' => $stats['readable'], 'abi' => $stats['abi'], 'fence' => $stats['fence'] ?? false, 'threads' => $stats['threads'] ?? 1];
            } catch (\Larder\StaticCacheException $e) {
                $stores['off'][$name] = $e->getMessage();
            }
        }
        return $stores;
    }

    /** @return array{loaded: bool, on: bool, full: bool, jit: bool, used: int} */
    private static function opcache(): array
    {
        $loaded = extension_loaded('Zend OPcache');
        $status = $loaded ? @opcache_get_status(false) : false;
        return ['loaded' => $loaded, 'on' => (bool) ($status['opcache_enabled'] ?? false), 'full' => (bool) ($status['cache_full'] ?? false),
            'jit' => (bool) ($status['jit']['on'] ?? false), 'used' => (int) ($status['memory_usage']['used_memory'] ?? 0)];
    }
}
