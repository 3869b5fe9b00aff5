<?php

declare(strict_types=1);

namespace Larder\Ops;

/** Reads figures of the kernel about this machine, container and process. Start with read(). */
final class Machine
{
    /** The environment variable in which tests name another root folder. */
    private const ROOT = 'LARDER_DOCTOR_ROOT';

    public static function read(string $path): string
    {
        return (string) @file_get_contents(getenv(self::ROOT) . $path);
    }

    /** @return array{bytes: int, whose: string} the memory that all processes of this machine or container may use together */
    public static function memory(): array
    {
        preg_match('/^MemTotal:\s+(\d+) kB/m', self::read('/proc/meminfo'), $match);
        $memory = ['bytes' => 1024 * (int) ($match[1] ?? 0), 'whose' => 'this machine has'];
        foreach (self::limits() as $limit) {
            if ($memory['bytes'] === 0 || $limit < $memory['bytes']) {
                $memory = ['bytes' => $limit, 'whose' => 'this container (cgroup) may use'];
            }
        }
        return $memory;
    }

    /** @return list<int> limits of memory of the control groups of this process */
    private static function limits(): array
    {
        $limits = [];
        foreach (explode("\n", self::read('/proc/self/cgroup')) as $line) {
            [, $controllers, $group] = explode(':', $line, 3) + ['', '', ''];
            if ($group === '' || ($controllers !== '' && !in_array('memory', explode(',', $controllers), true))) {
                continue;
            }
            for ($folder = rtrim($group, '/'); ; $folder = dirname($folder) === '/' ? '' : dirname($folder)) {
                $file = $controllers === '' ? "/sys/fs/cgroup$folder/memory.max" : "/sys/fs/cgroup/memory$folder/memory.limit_in_bytes";
                $text = trim(self::read($file));
                if (preg_match('/^\d{1,18}$/', $text)) {
                    $limits[] = (int) $text;
                }
                if ($folder === '' || $folder === '.') {
                    break;
                }
            }
        }
        return $limits;
    }

    /**
     * @return array{type: string, size: int, free: ?int, point: string, readonly: bool} the file system of a path; "size" is 0 if the size
     * is unknown; "point" is the folder where it is mounted
     */
    public static function fileSystem(string $path): array
    {
        $found = ['', '', ''];
        $readonly = false;
        foreach (explode("\n", self::read('/proc/self/mountinfo')) as $line) {
            [$left, $right] = explode(' - ', $line, 2) + ['', ''];
            $point = stripcslashes(explode(' ', $left)[4] ?? '');
            if ($point !== '' && strlen($point) >= strlen($found[0]) && str_starts_with(rtrim($path, '/') . '/', rtrim($point, '/') . '/')) {
                $found = [$point, ...array_slice(explode(' ', $right) + ['', '', ''], 0, 1), explode(' ', $right)[2] ?? ''];
                // the options of the mount, and those of the file system
                $options = explode(',', (explode(' ', $left)[5] ?? '') . ',' . $found[2]);
                $readonly = in_array('ro', $options, true);
            }
        }
        preg_match('/(?:^|,)size=(\d+)([kmg]?)(?:,|$)/', $found[2], $match);
        $size = isset($match[1]) ? (int) $match[1] << ['' => 0, 'k' => 10, 'm' => 20, 'g' => 30][$match[2]] : (int) @disk_total_space($path);
        $free = @disk_free_space($path);
        return ['type' => $found[1], 'size' => $size, 'free' => is_float($free) ? (int) $free : null, 'point' => $found[0], 'readonly' => $readonly];
    }

    /**
     * Returns how many inodes the file system of a path has, and how many are free. The command line runs the program stat, because PHP has
     * no function for this. In a worker of FPM, returns null.
     * @return ?array{all: int, free: int} null: the numbers are unknown, or the file system has no limit
     */
    public static function inodes(string $path): ?array
    {
        $text = PHP_SAPI === 'cli' && function_exists('exec') ? (string) @exec('stat -f -c "%c %d" ' . escapeshellarg($path) . ' 2>/dev/null') : '';
        [$all, $free] = array_map(intval(...), explode(' ', $text)) + [0, 0];
        return $all > 0 ? ['all' => $all, 'free' => $free] : null;
    }

    /** @return array<string, ?int> by name: a limit of this process, or null if it is unlimited or unknown */
    public static function processLimits(): array
    {
        $limits = [];
        foreach (['address_space' => 'Max address space', 'file_size' => 'Max file size', 'open_files' => 'Max open files'] as $name => $title) {
            preg_match("/^$title\s+(\d+|unlimited)/m", self::read('/proc/self/limits'), $match);
            $limits[$name] = preg_match('/^\d{1,18}$/', $match[1] ?? '') ? (int) $match[1] : null;
        }
        return $limits;
    }

    /** @return array<string, string> names of the namespaces that decide who can share a store */
    public static function namespaces(): array
    {
        $names = [];
        foreach (['mnt', 'pid', 'user'] as $kind) {
            $names[$kind] = (string) @readlink(getenv(self::ROOT) . "/proc/self/ns/$kind");
        }
        return $names;
    }

    /** Returns true if /proc has the files that every store needs, or if open_basedir hides them. */
    public static function hasProc(): bool
    {
        // do not use file_exists() for this link: in a PHP with threads, it looks for a file with the name of the link's target, such as
        // pid:[4026531836]
        return ini_get('open_basedir') !== '' || (is_readable('/proc/sys/kernel/random/boot_id') && is_link('/proc/self/ns/pid'));
    }

    /**
     * Returns true if systemd-logind removes this user's files in /dev/shm at logout (RemoveIPC, on by default). It never removes files of
     * system users, or of users with lingering enabled.
     */
    public static function cleansAtLogout(int $uid, string $user): bool
    {
        $root = getenv(self::ROOT);
        if ($uid <= 999 || !is_dir("$root/run/systemd/users") || file_exists("$root/var/lib/systemd/linger/$user")) {
            return false;
        }
        $files = ['' => "$root/etc/systemd/logind.conf"]; // ksort() puts this file first
        foreach (['usr/lib', 'run', 'etc'] as $folder) { // if folders have files of the same name, the file in the later folder is used
            foreach (glob("$root/$folder/systemd/logind.conf.d/*.conf") ?: [] as $file) {
                $files[basename($file)] = $file;
            }
        }
        ksort($files, SORT_STRING);
        $value = '';
        foreach ($files as $file) {
            $value = preg_match_all('/^\s*RemoveIPC\s*=\s*(\w+)/m', (string) @file_get_contents($file), $found) ? end($found[1]) : $value;
        }
        return !in_array(strtolower($value), ['no', 'off', 'false', '0', 'n', 'f'], true);
    }

    public static function kernel(): string
    {
        return trim(self::read('/proc/sys/kernel/osrelease'));
    }
}
