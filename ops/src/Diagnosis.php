<?php

declare(strict_types=1);

namespace Larder\Ops;

/**
 * Judges the facts about one process, and names the setting that repairs a fault. Start with of(). The level of a finding is "right",
 * "note" or "wrong". Only findings that propose a remedy have "where" and "line".
 *
 * @phpstan-type Finding array{part: string, check: string, level: string, text: string, where: string, line: string}
 */
final class Diagnosis
{
    private const SWITCH = '/^(1|on|yes|true|0|off|no|false|none|)$/iD';

    /** Setting => [pattern of good values (or "size": the size of a store), description of good values, default]. */
    private const SETTINGS = [
        'larder.enable' => [self::SWITCH, 'on or off', '1'],
        'larder.enable_cli' => [self::SWITCH, 'on or off', '1'],
        'larder.volatile_size' => ['size', '0 or a size from 1M to 1T', '64M'],
        'larder.pinned_size' => ['size', '0 or a size from 1M to 1T', '32M'],
        'larder.immutable_size' => ['size', '0 or a size from 1M to 1T', '0'],
        'larder.session_size' => ['size', '0 or a size from 1M to 1T', '64M'],
        'larder.queue_size' => ['size', '0 or a size from 1M to 1T', '16M'],
        'larder.resident_size' => ['/^\d{1,15}[KMGT]?$/iD', '0 or a number of bytes', '32M'],
        'larder.statics' => [self::SWITCH, 'on or off', '0'],
        'larder.statics_interval' => ['/^([0-2]?\d{1,6}|3[0-5]\d{5}|3600000)$/D', 'a number from 0 to 3600000', '10'],
        'larder.path' => ['~^(/.*|)$~D', 'an absolute path', '/dev/shm'],
        'larder.scope' => ['/^([A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}|)$/D', 'at most 64 letters, digits, "_", "-" and ".", no "." first', 'app'],
        'larder.form' => ['/^(auto|ready|packed)$/D', 'auto, ready or packed', 'auto'],
        'larder.collect' => [self::SWITCH, 'on or off', '1'],
        'larder.entries_hint' => ['/^\d{1,9}$/D', 'a number from 0 to 4294967295', '0'],
        'larder.pools' => ['/^0*([1-9]\d{0,2}|10[01]\d|102[0-4])$/D', 'a number from 1 to 1024', '32'],
        'larder.compat' => ['/^[, \t]*((apcu|immutable_cache|memsession|opcache|user_cache)([, \t]+|$))*$/iD', 'a list of apcu, immutable_cache, memsession, opcache and user_cache', ''],
    ];

    /**
     * Name of a store => the setting of its size. setting() knows the exceptions. A layer offers the API of another cache, such as APCu. Some layers
     * add a store, or take a store's size from another setting. The layers in use are in the facts, under "layers".
     */
    private const SIZES = ['volatile' => 'larder.volatile_size', 'pinned' => 'larder.pinned_size', 'immutable' => 'larder.immutable_size', 'session' => 'larder.session_size', 'queue' => 'larder.queue_size'];

    /** The number of bytes that a store takes when it is created. */
    private const SMALLEST = 256 << 10;
    private const OLDEST_KERNEL = '4.16';
    private const PROFILE = ['where' => 'write into "names" of the allowed calls of the seccomp profile, and make the stores anew'];

    /** @var list<Finding> */
    private array $findings = [];
    private IniFiles $ini;
    /** @var list<string> the codes of refusals, and the limits, that an earlier finding has explained */
    private array $explained = [];

    /** @param array<string, mixed> $facts the facts that Facts::gather() returned */
    private function __construct(private array $facts, private string $part)
    {
        $this->ini = IniFiles::from($facts['ini']);
    }

    /**
     * @param array<string, mixed> $facts the facts that Facts::gather() returned
     * @return list<Finding>
     */
    public static function of(array $facts, string $part): array
    {
        $diagnosis = new self($facts, $part);
        $diagnosis->extension();
        if ($facts['loaded']) {
            $diagnosis->names();
            $diagnosis->values();
            $diagnosis->enabled();
            $diagnosis->proc();
            $diagnosis->limits();
            $diagnosis->sizes();
            $diagnosis->folder();
            $diagnosis->stores();
            $diagnosis->compat();
            $diagnosis->isolation();
        }
        $diagnosis->opcache();
        $diagnosis->kernel();
        return $diagnosis->findings;
    }

    /* ---- findings ---- */

    private function add(string $level, string $check, string $text, string $where = '', string $line = ''): void
    {
        $this->findings[] = ['part' => $this->part, 'check' => $check, 'level' => $level, 'text' => $text, 'where' => $where, 'line' => $line];
    }

    /** Adds a finding: a setting has a wrong value. Gives the right value, and where to write it. */
    private function set(string $check, string $text, string $name, string $value): void
    {
        [$where, $line] = self::place($this->facts, $name, $value);
        $this->add('wrong', $check, $text, $where, $line);
    }

    /**
     * Returns where a setting of a process must be written, and the line to write.
     * @param array<string, mixed> $facts
     * @return array{string, string}
     */
    public static function place(array $facts, string $name, string $value): array
    {
        $ini = IniFiles::from($facts['ini']);
        $found = $ini->setting($name);
        $now = $facts['settings'][$name]['value'] ?? null;
        $configured = $facts['settings'][$name]['configured'] ?? null;
        $default = self::SETTINGS[$name][2] ?? $now;
        $by_pool = $facts['sapi'] === 'fpm-fcgi' && ($configured !== null ? self::plain((string) $now) !== self::plain($configured)
            : !in_array($name, ['larder.scope', 'larder.path'], true) && self::plain((string) $now) !== self::plain((string) $default) || in_array($name, ['larder.scope', 'larder.path'], true) && (string) $now !== '');
        if ($by_pool) {
            return ['write into the section [' . ($facts['pool'] ?: 'www') . '] of the pool', "php_admin_value[$name] = $value"];
        }
        if ($configured !== null && ($found === null || self::plain($found['value']) !== self::plain($configured))) {
            return ["write instead of -d $name=$configured", "-d $name=$value"];
        }
        return ['write into ' . ($found !== null ? "{$found['file']}, line {$found['line']}" : $ini->file()), "$name = $value"];
    }

    /** Converts a value in an ini file as PHP does. */
    private static function plain(string $value): string
    {
        return match (strtolower($value)) {
            'on', 'yes', 'true' => '1', 'off', 'no', 'false', 'none', '0' => '', default => $value,
        };
    }

    private function value(string $name): string
    {
        return $this->facts['settings'][$name]['value'] ?? '';
    }

    private function on(string $name): bool
    {
        return in_array(strtolower($this->value($name)), ['1', 'on', 'yes', 'true'], true);
    }

    private function cli(): bool
    {
        return $this->facts['sapi'] === 'cli';
    }

    /** Converts a size such as "64M" to bytes. Returns null if the text is not a size. */
    public static function bytes(string $text): ?int
    {
        if (!preg_match('/^(\d{1,15})([KMGT]?)$/iD', trim($text, ' '), $match)) {
            return null;
        }
        $bytes = (int) $match[1] * 1024 ** (int) array_search(strtoupper($match[2]), ['', 'K', 'M', 'G', 'T'], true);
        return is_int($bytes) ? $bytes : null;
    }

    /** Formats a number of bytes as a size for ini files. */
    public static function size(int $bytes): string
    {
        foreach (['T' => 40, 'G' => 30, 'M' => 20, 'K' => 10] as $unit => $shift) {
            if ($bytes > 0 && $bytes % (1 << $shift) === 0) {
                return ($bytes >> $shift) . $unit;
            }
        }
        return (string) $bytes;
    }

    /* ---- the extension ---- */

    private function extension(): void
    {
        $lines = $this->ini->loading('larder');
        if ($this->facts['loaded']) {
            foreach (array_slice($lines, 1) as $line) {
                $this->add('wrong', 'extension', "larder is loaded twice; {$lines[0]['file']}, line {$lines[0]['line']} does it, too", "remove from {$line['file']}, line {$line['line']}", "{$line['name']}={$line['value']}");
            }
            $this->add('right', 'extension', "larder {$this->facts['larder']} is loaded");
        } elseif ($lines !== []) {
            $this->broken($lines[count($lines) - 1]);
        } else {
            $this->missing();
        }
    }

    /** @param array{file: string, line: int, name: string, value: string, active: bool} $line the line that should have loaded the extension */
    private function broken(array $line): void
    {
        $path = Facts::module($this->value('extension_dir'), $line['value']);
        $module = $this->facts['modules'][$path] ?? ['there' => false, 'readable' => false, 'api' => ''];
        $installed = $this->facts['modules'][Facts::module($this->value('extension_dir'), 'larder')] ?? ['there' => false, 'readable' => false, 'api' => ''];
        $at = "write into {$line['file']}, line {$line['line']}";
        if (strtolower($line['name']) === 'zend_extension') {
            $this->add('wrong', 'extension', 'larder is not loaded: it is no zend_extension', $at, "extension={$line['value']}");
        } elseif (!$module['there'] && $installed['api'] === $this->facts['api']) {
            $this->add('wrong', 'extension', "larder is not loaded: there is no $path", $at, 'extension=larder');
        } elseif (!$module['there']) {
            $this->add('wrong', 'extension', "larder is not loaded: there is no $path", 'run, where Larder was built', 'sudo make install');
        } elseif (!$module['readable']) {
            $this->add('wrong', 'extension', "larder is not loaded: user {$this->facts['user']} may not read $path", 'run', "sudo chmod 644 $path");
        } elseif ($module['api'] !== '' && $module['api'] !== $this->facts['api']) {
            $version = self::version($this->facts['php']);
            $this->add('wrong', 'extension', "larder is not loaded: $path was built for another PHP ({$module['api']}); this PHP is {$this->facts['php']} ({$this->facts['api']})", 'run in the sources of Larder', "make php larder PHP_CONFIG=php-config$version && sudo make install PHP_CONFIG=php-config$version");
        } else {
            $this->add('wrong', 'extension', "larder is not loaded: PHP does not accept $path, and says why", 'run', PHP_BINARY . ' --ri larder');
        }
    }

    private static function version(string $php): string
    {
        return (string) preg_replace('/^(\d+\.\d+).*/', '$1', $php);
    }

    private function missing(): void
    {
        $off = $this->ini->loading('larder', false);
        $installed = $this->facts['modules'][Facts::module($this->value('extension_dir'), 'larder')] ?? ['there' => false, 'readable' => false, 'api' => ''];
        if ($off !== []) {
            $this->add('wrong', 'extension', 'larder is not loaded: the line that loads it is a comment', "write into {$off[0]['file']}, line {$off[0]['line']}", "extension={$off[0]['value']}");
        } elseif (!$installed['there']) {
            $this->add('wrong', 'extension', "larder is not loaded, and not installed in {$this->value('extension_dir')}", 'run in the sources of Larder', 'make php larder && sudo make install');
        } else {
            $this->add('wrong', 'extension', 'larder is not loaded: no ini file of this PHP names it', 'write into ' . $this->ini->file(), 'extension=larder');
        }
    }

    /* ---- settings ---- */

    /** Finds unknown settings in ini files. PHP ignores them without a message. */
    private function names(): void
    {
        $known = preg_grep('/^larder\./', array_keys($this->facts['settings'])) ?: [];
        foreach ($this->ini->lines as $line) {
            if (!$line['active'] || !str_starts_with($line['name'], 'larder.') || in_array($line['name'], $known, true)) {
                continue;
            }
            $near = $known;
            usort($near, static fn(string $a, string $b): int => levenshtein($a, $line['name']) <=> levenshtein($b, $line['name']));
            $this->add('wrong', 'settings', "there is no setting {$line['name']}, so PHP ignores it", "write into {$line['file']}, line {$line['line']}", "{$near[0]} = {$line['value']}");
        }
    }

    private function values(): void
    {
        $wrong = count(array_filter($this->findings, static fn(array $finding): bool => $finding['level'] === 'wrong'));
        foreach (self::SETTINGS as $name => [$pattern, $expected, $default]) {
            $value = $this->value($name);
            if (!isset($this->facts['settings'][$name]) || self::good($pattern, $value)) {
                continue;
            }
            if ($name === 'larder.compat') {
                $default = implode(', ', preg_grep($pattern, preg_split('/[, \t]+/', $value) ?: []) ?: []);
            } elseif (preg_match('/^(\d{1,9}) *([KMGT])(i?b)?$/iD', $value, $match) && self::good($pattern, $match[1] . $match[2])) {
                $default = $match[1] . strtoupper($match[2]);
            } elseif ($name === 'larder.scope') {
                $default = trim((string) preg_replace('/[^A-Za-z0-9_-]+/', '-', $value), '-') ?: 'app';
            }
            $this->set('settings', "$name = \"$value\" is no good value: $expected is expected", $name, $default);
        }
        if ($wrong === count(array_filter($this->findings, static fn(array $finding): bool => $finding['level'] === 'wrong'))) {
            $this->add('right', 'settings', 'every setting has a good value');
        }
    }

    private static function good(string $pattern, string $value): bool
    {
        $bytes = self::bytes($value);
        return $pattern === 'size' ? $bytes !== null && ($bytes === 0 || ($bytes >= 1 << 20 && $bytes <= 1 << 40)) : preg_match($pattern, $value) === 1;
    }

    private function enabled(): void
    {
        if (!$this->on('larder.enable')) {
            $this->set('enable', 'larder.enable is 0, so every read misses and every write answers false', 'larder.enable', '1');
        } elseif ($this->cli() && !$this->on('larder.enable_cli')) {
            $this->set('enable', 'larder.enable_cli is 0, so programs of the command line have no cache', 'larder.enable_cli', '1');
        } else {
            $this->add('right', 'enable', 'Larder is switched on');
        }
        if ($this->value('session.save_handler') === 'larder' && self::bytes($this->value('larder.session_size')) === 0) {
            $this->set('sessions', 'session.save_handler is larder, but there is no store for sessions', 'larder.session_size', '64M');
        }
    }

    /* ---- sizes, limits, and the folder of named stores ---- */

    /**
     * Returns setting => size in bytes of each store, the largest store first. If a named store exists and no ini file sets its size,
     * returns the present size of the store.
     * @return array<string, int>
     */
    private function configured(): array
    {
        $sizes = [];
        foreach ($this->used() as $name => $setting) {
            $store = $this->facts['stores']['on'][$name] ?? null;
            $said = ($this->facts['settings'][$setting]['configured'] ?? null) !== null;
            $sizes[$setting] = $store !== null && $store['path'] !== '' && !$said ? $store['size'] : $this->wanted($setting);
        }
        arsort($sizes);
        return $sizes;
    }

    /**
     * Returns the name of the size setting of each store, by the store's name. Includes the store of sessions only if PHP keeps sessions in
     * it (session.save_handler = larder).
     * @return array<string, string>
     */
    private function used(): array
    {
        $used = array_replace(self::SIZES, $this->facts['layers']);
        if ($this->value('session.save_handler') !== 'larder') {
            unset($used['session']);
        }
        return $used;
    }

    /** Returns the name of the setting for the size of a store. A store that replaces another cache uses the setting of that cache. */
    private function setting(string $name): string
    {
        return $this->facts['layers'][$name] ?? self::SIZES[$name] ?? '';
    }

    private function wanted(string $setting): int
    {
        $value = trim($this->value($setting));
        $bytes = (int) self::bytes($value);
        // in the settings of other caches, such as apc.shm_size, a plain "32" means 32M
        return str_starts_with($setting, 'larder.') || $bytes >= 1 << 20 || !preg_match('/^\d+$/', $value) ? $bytes : $bytes << 20;
    }

    /** @param array<string, int> $sizes */
    private function sum(array $sizes): string
    {
        $parts = [];
        foreach ($this->used() as $name => $setting) {
            if (($sizes[$setting] ?? 0) > 0) {
                $parts[] = "$name " . Text::bytes($sizes[$setting]);
            }
        }
        return 'the stores may take ' . Text::bytes(array_sum($sizes)) . (count($parts) > 1 ? ' (' . implode(', ', $parts) . ')' : '');
    }

    /** @param array<string, int> $sizes */
    private static function fitting(array $sizes, int $room): string
    {
        $others = array_sum($sizes) - (int) reset($sizes);
        $bytes = intdiv($room, 2) - $others;
        return self::size(max(1 << 20, intdiv($bytes > 0 ? $bytes : intdiv($room, 4), 1 << 20) << 20));
    }

    /**
     * Returns true if all stores fit into $room bytes after the largest one gets the size that fitting() returns.
     * @param array<string, int> $sizes
     */
    private static function oneSuffices(array $sizes, int $room): bool
    {
        return array_sum($sizes) - (int) reset($sizes) + (int) self::bytes(self::fitting($sizes, $room)) <= $room;
    }

    /**
     * Proposes a smaller size for the largest store, if all stores then fit into $room bytes. Otherwise, proposes smaller sizes that
     * together take half of $room.
     * @param array<string, int> $sizes
     */
    private function shrink(string $check, string $text, array $sizes, int $room): void
    {
        if (self::oneSuffices($sizes, $room)) {
            $this->set($check, $text, (string) key($sizes), self::fitting($sizes, $room));
            return;
        }
        foreach (array_filter($sizes) as $setting => $size) {
            $this->set($check, $text, $setting, self::size(max(1 << 20, (int) ($room / 2 * $size / array_sum($sizes)) >> 20 << 20)));
            $text = 'a smaller ' . key($sizes) . ' alone does not make enough room';
        }
    }

    private function sizes(): void
    {
        $sizes = $this->configured();
        $all = array_sum($sizes);
        $memory = $this->facts['memory'];
        if ($memory['bytes'] > 0 && $all > $memory['bytes']) {
            $this->explained[] = 'ENOSPC';
            $this->shrink('memory', $this->sum($sizes) . ", but {$memory['whose']} " . Text::bytes($memory['bytes']), $sizes, $memory['bytes']);
        } else {
            $this->add('right', 'memory', $this->sum($sizes) . ($memory['bytes'] > 0 ? ' of the ' . Text::bytes($memory['bytes']) . " that {$memory['whose']}" : ''));
        }
    }

    private function proc(): void
    {
        if (!$this->facts['proc']) {
            $this->explained[] = 'ESYS';
            $this->add('wrong', 'kernel', '/proc is not mounted here, and stores need it', $this->cli() ? 'run' : "run, with the pool's chroot before /proc", 'sudo mount -t proc proc /proc');
        }
    }

    private function limits(): void
    {
        $sizes = $this->configured();
        foreach ($this->facts['limits'] as $name => $limit) {
            $needed = ['address_space' => array_sum($sizes), 'file_size' => (int) reset($sizes)][$name] ?? 0;
            if ($limit !== null && $limit < $needed) {
                $this->limited($name, $limit);
            }
        }
    }

    /** Adds a finding: a limit of this process prevents stores from being opened. Adds only one finding for each limit. */
    private function limited(string $name, int $limit): void
    {
        if (in_array($name, $this->explained, true)) {
            return;
        }
        $this->explained[] = $name;
        [$text, $shell, $unit] = ['address_space' => ['have an address space', 'ulimit -v unlimited', 'LimitAS=infinity'], 'file_size' => ['make files', 'ulimit -f unlimited', 'LimitFSIZE=infinity']][$name];
        $this->add('wrong', 'limits', "this process may $text of " . Text::bytes($limit) . ', too little for the stores', ...$this->limit($shell, $unit));
    }

    /** @return array{string, string} */
    private function limit(string $shell, string $unit): array
    {
        return $this->cli() ? ['run before', $shell] : ['write below [Service] with: systemctl edit php' . self::version($this->facts['php']) . '-fpm', $unit];
    }

    /**
     * Returns true if larder.scope is valid, and the folder of named stores is an absolute path. Otherwise Larder is off, and settings()
     * says so.
     */
    private function named(): bool
    {
        return self::good(self::SETTINGS['larder.scope'][0], $this->value('larder.scope')) && str_starts_with($this->facts['folder']['path'] ?? '', '/');
    }

    private function folder(): void
    {
        $folder = $this->facts['folder'];
        if ($folder === null) {
            $this->add('right', 'scope', $this->cli() ? 'stores have no name: a program and what it forks share them (larder.scope names one that others share)' : 'stores have no name: the workers of this pool share them');
            return;
        }
        $path = $folder['path'];
        if (!$this->named()) {
            return;
        }
        $this->add('right', 'scope', 'stores are named "' . ($this->value('larder.scope') ?: 'default') . "\", in $path, of user {$this->facts['user']}");
        if ($folder['hidden']) {
            $this->add('note', 'folder', "open_basedir hides $path from this check, not from the stores");
            return;
        }
        $unusable = match (true) {
            !$folder['there'] => ['is not there', "sudo install -d -m 0700 -o {$this->facts['user']} $path"],
            $folder['readonly'] => ['is on a file system that is mounted read-only', "sudo mount -o remount,rw {$folder['point']}"],
            // suggest no change of the folder itself, which may belong to another user (/dev/shm to root)
            !$folder['writable'] && $folder['owner'] === null => ["may not be written by user {$this->facts['user']}", "sudo install -d -m 0700 -o {$this->facts['user']} {$folder['own']}"],
            default => null,
        };
        if ($unusable !== null) {
            $this->add('wrong', 'folder', "$path $unusable[0]", 'run', $unusable[1]);
            array_push($this->explained, 'folder', 'ESYS');
            return;
        }
        if (!in_array($folder['type'], ['tmpfs', 'ramfs', 'hugetlbfs', ''], true)) {
            $this->set('folder', "larder.path is on {$folder['type']}, " . ($folder['type'] === 'btrfs' ? 'where Larder refuses to make stores' : 'a disk, to which the kernel writes what is stored'), 'larder.path', '/dev/shm');
        }
        if (($this->facts['logout'] ?? false) && str_starts_with("$path/", '/dev/shm/')) {
            $this->add('note', 'folder', "when user {$this->facts['user']} logs out, systemd removes the stores (RemoveIPC)", 'to keep them, run', "sudo loginctl enable-linger {$this->facts['user']}");
        }
        $sizes = $this->configured();
        if ($folder['size'] > 0 && array_sum($sizes) > $folder['size']) {
            $this->tooSmall($folder, $sizes);
        }
        $this->room($folder);
        $this->growth($folder);
        $this->permissions($folder);
    }

    /**
     * Says what to do if the stores are larger than their file system. Proposes a smaller size for the largest store if that is
     * enough. Otherwise, proposes to enlarge a tmpfs, or to make all stores smaller.
     * @param array<string, mixed> $folder
     * @param array<string, int> $sizes
     */
    private function tooSmall(array $folder, array $sizes): void
    {
        $this->explained[] = 'ENOSPC';
        $text = $this->sum($sizes) . ", but {$folder['path']} has only " . Text::bytes($folder['size']) . ' (in a container: docker run --shm-size)';
        if ($folder['type'] === 'tmpfs' && !self::oneSuffices($sizes, $folder['size'])) {
            $this->add('wrong', 'folder', $text, 'to have room for them, run', "sudo mount -o remount,size={$this->roomy($sizes)} {$folder['point']}");
        } else {
            $this->shrink('folder', $text, $sizes, $folder['size']);
        }
    }

    /**
     * Returns how large a tmpfs must be to have room for all stores.
     * @param array<string, int> $sizes
     */
    private function roomy(array $sizes): string
    {
        return self::size((intdiv((int) (1.25 * array_sum($sizes)), 16 << 20) + 1) * (16 << 20));
    }

    /**
     * Checks whether the file system has room for the stores that have no file yet.
     * @param array<string, mixed> $folder
     */
    private function room(array $folder): void
    {
        $missing = array_keys(array_filter(array_diff_key($this->used(), $this->facts['files']), fn(string $setting): bool => $this->wanted($setting) > 0));
        if ($missing === []) {
            return;
        }
        $which = count($missing) === 1 ? "the $missing[0] store is not there yet, and needs" : 'the stores ' . implode(', ', $missing) . ' are not there yet, and need';
        // two inodes for each store, its file and its .lock file, and one for a missing folder
        $files = 2 * count($missing) + ($folder['owner'] === null ? 1 : 0);
        $bytes = self::SMALLEST * count($missing);
        if ($folder['inodes'] !== null && $folder['inodes']['free'] < $files) {
            $this->inodes($folder, "$which $files inodes, but {$folder['path']} has only {$folder['inodes']['free']} free of {$folder['inodes']['all']}");
        }
        if ($folder['free'] !== null && $folder['free'] < $bytes && !in_array('ENOSPC', $this->explained, true)) {
            $this->explained[] = 'ENOSPC';
            $this->full('wrong', "$which " . Text::bytes($bytes) . ' to begin', $folder);
        }
    }

    /**
     * Says that the file system has fewer free bytes than stores need.
     * @param array<string, mixed> $folder
     */
    private function full(string $kind, string $need, array $folder): void
    {
        $text = "$need, but {$folder['path']} has " . Text::bytes($folder['free']) . ' free' . ($folder['size'] > 0 ? ' of ' . Text::bytes($folder['size']) : '');
        $this->add($kind, 'folder', $text, 'see what fills it, and remove what is not needed', "sudo du -xa {$folder['point']} | sort -n | tail");
    }

    /**
     * Checks whether the file system has room for the memory that the stores may still take. Without this room, stores evict entries or
     * refuse values long before they reach their sizes.
     * @param array<string, mixed> $folder
     */
    private function growth(array $folder): void
    {
        $more = array_sum(array_map(static fn(array $store): int => max(0, $store['size'] - $store['claimed']), $this->facts['stores']['on']));
        if ($folder['free'] === null || $folder['free'] >= $more || in_array('ENOSPC', $this->explained, true)) {
            return;
        }
        $this->full($folder['free'] < self::SMALLEST ? 'wrong' : 'note', 'the stores ' . implode(', ', array_keys($this->facts['stores']['on'])) . ' may take ' . Text::bytes($more) . ' more', $folder);
    }

    /**
     * Says that the file system has too few inodes for the files of stores.
     * @param array<string, mixed> $folder
     */
    private function inodes(array $folder, string $text): void
    {
        if (in_array('inodes', $this->explained, true)) {
            return;
        }
        $this->explained[] = 'inodes';
        if ($folder['type'] === 'tmpfs') {
            $this->add('wrong', 'folder', $text, 'remove files there, or run', 'sudo mount -o remount,nr_inodes=' . max(1024, 2 * ($folder['inodes']['all'] ?? 0)) . " {$folder['point']}");
        } else {
            $this->add('wrong', 'folder', $text, 'find where there are many files, and remove some', "sudo du -x --inodes {$folder['point']} | sort -n | tail");
        }
    }

    /** Says that a folder's file system has no inodes or no bytes left. The kernel gives one error for both. */
    private function inodesOrBytes(string $path, string $text): void
    {
        if (!array_intersect(['inodes', 'ENOSPC'], $this->explained)) {
            array_push($this->explained, 'inodes', 'ENOSPC');
            $this->add('wrong', 'folder', $text, 'see which are used up, and remove files there', "df -i $path; df -h $path");
        }
    }

    /** @param array<string, mixed> $folder */
    private function permissions(array $folder): void
    {
        if ($folder['owner'] !== null && $folder['kind'] !== 'folder') {
            $this->add('wrong', 'permissions', "{$folder['own']} is no folder, so stores lie beside it", 'run', "sudo rm {$folder['own']}");
        } elseif ($folder['owner'] !== null && $folder['owner'] !== $this->facts['uid']) {
            $this->add('wrong', 'permissions', "{$folder['own']} belongs to another user (uid {$folder['owner']}), so stores lie beside it", 'run', "sudo rm -r {$folder['own']}");
        } elseif ($folder['mode'] !== null && $folder['mode'] !== 0700) {
            $this->add('wrong', 'permissions', sprintf('%s has the mode %04o: only its user may have access', $folder['own'], $folder['mode']), 'run', "sudo chmod 0700 {$folder['own']}");
        }
        foreach ($this->facts['files'] as $file) {
            // only a regular file of this user has a mode to check; stores() says that anything else must be removed
            if ($file['kind'] === 'file' && $file['owner'] === $this->facts['uid'] && $file['mode'] !== 0600) {
                $this->add('wrong', 'permissions', sprintf('%s has the mode %04o: only its user may have access', $file['path'], $file['mode']), 'run', "sudo chmod 0600 {$file['path']}");
                $this->explained[] = 'EPERM';
            }
        }
    }

    /* ---- stores ---- */

    /** @param array<string, mixed> $store */
    private function otherSize(string $name, array $store, string $setting): void
    {
        [$has, $wanted] = [self::size($store['size']), $this->value($setting)];
        $text = "the $name store {$store['path']} has $has, and $setting is $wanted";
        if ($store['threads'] === 0) {
            $this->add('wrong', 'stores', "$text; no process uses it", "to make it again with $wanted, and empty, remove its file", "rm {$store['path']}");
            return;
        }
        [$where, $line] = self::place($this->facts, $setting, $has);
        $this->add('wrong', 'stores', "$text; it keeps its size while a process uses it", "restart FPM, and all else that uses the store, to have $wanted (empty); or, to keep $has, $where", $line);
    }

    private function stores(): void
    {
        foreach ($this->facts['stores']['on'] as $name => $store) {
            $setting = $this->setting($name);
            $wanted = $setting !== '' ? $this->wanted($setting) : 0;
            if ($store['fence'] && !in_array('EBARRIER', $this->explained, true)) {
                $this->explained[] = 'EBARRIER';
                $this->add('wrong', 'kernel', 'membarrier(2) was denied when the stores were made, so each read takes some nanoseconds more', ...self::PROFILE, line: '"membarrier"');
            }
            if (!$store['readable']) {
                $this->set('stores', "the $name store {$store['path']} has values of another PHP or Larder (ABI {$store['abi']})", 'larder.scope', $this->other());
            } elseif ($store['path'] !== '' && ($this->facts['settings'][$setting]['configured'] ?? null) !== null && intdiv($wanted + 65535, 65536) * 65536 !== $store['size']) {
                $this->otherSize($name, $store, $setting);
            }
        }
        if ($this->facts['stores']['on'] !== []) {
            $this->add('right', 'stores', implode(', ', array_map(static fn(string $name, array $store): string => "$name " . Text::bytes($store['size']),
                array_keys($this->facts['stores']['on']), $this->facts['stores']['on'])) . ' can be used');
        } elseif ($this->named() && $this->facts['stores']['off'] === []) {
            $this->add('note', 'stores', 'none is there yet: the first program that uses one makes it');
        }
        $off = array_filter(self::SIZES, fn(string $setting): bool => self::SETTINGS[$setting][2] !== '0' && self::bytes($this->value($setting)) === 0);
        if ($off !== [] && $this->on('larder.enable')) {
            $this->add('note', 'stores', implode(', ', array_keys($off)) . (count($off) === 1 ? ' is' : ' are') . ' switched off: ' . implode(', ', $off) . (count($off) === 1 ? ' is' : ' are') . ' 0');
        }
        foreach ($this->facts['stores']['off'] as $name => $reason) {
            if (!preg_match(Operations::SWITCHED_OFF, $reason) && !str_contains($reason, ': must be ')) {
                $this->refused($name, $reason);
            }
        }
    }

    /** Proposes a name for larder.scope that contains this PHP's version, so that no other version uses it. */
    private function other(): string
    {
        return ($this->value('larder.scope') ?: 'default') . '-php' . self::version($this->facts['php']);
    }

    private function refused(string $name, string $reason): void
    {
        $setting = $this->setting($name) ?: 'larder.volatile_size';
        $code = preg_match('/LRD_(\w+)/', $reason, $match) ? $match[1] : '';
        $file = $this->facts['files'][$name]['path'] ?? '';
        $limit = ['EADDR' => 'address_space', 'ENOMEM' => 'address_space', 'EFILESIZE' => 'file_size'][$code] ?? '';
        if ($limit !== '' && $this->facts['limits'][$limit] !== null) {
            $this->limited($limit, $this->facts['limits'][$limit]);
            return;
        }
        if (str_contains($reason, 'memfd_create') && in_array('memfd', $this->explained, true)) {
            return;
        }
        if (in_array($code, $this->explained, true) || (in_array('folder', $this->explained, true) && $code === '')) {
            return;
        }
        if (preg_match('/ all \d+ inodes /', $reason) && $this->facts['folder'] !== null) {
            $this->inodes($this->facts['folder'], $reason);
        } elseif (str_contains($reason, ' inodes or bytes ') && $this->facts['folder'] !== null) {
            $this->inodesOrBytes($this->facts['folder']['path'], $reason);
        } elseif (str_contains($reason, 'larder.sapi_optin')) {
            $this->set('stores', $reason, 'larder.sapi_optin', $this->facts['sapi']);
        } elseif ($code === 'ENOSPC') {
            $this->set('stores', $reason, $setting, self::size(max(1 << 20, intdiv((int) self::bytes($this->value($setting)), 2 << 20) << 20)));
        } elseif (str_contains($reason, 'no process uses it')) {
            $this->add('note', 'stores', $reason);
        } elseif ($code === 'EMISMATCH') {
            [$where, $line] = self::place($this->facts, 'larder.scope', $this->other());
            $this->add('wrong', 'stores', $reason, "restart FPM, workers and cron jobs together; or, if one is to stay as it is, $where", $line);
        } elseif ($code === 'ENAMESPACE') {
            $this->set('stores', $reason, 'larder.scope', $this->other());
        } elseif ($file !== '' && (in_array($code, ['EPERM', 'EFORMAT'], true) || str_contains($reason, 'damaged'))) {
            $this->add('wrong', 'stores', $reason, 'run', 'sudo rm ' . ($this->facts['files'][$name]['kind'] === 'folder' ? '-r ' : '') . $file);
        } elseif ($code === 'EBARRIER') {
            $this->add('wrong', 'stores', $reason, ...self::PROFILE, line: '"membarrier"');
        } elseif (str_contains($reason, 'memfd_create')) {
            $this->explained[] = 'memfd';
            $this->set('kernel', $reason, 'larder.scope', 'app');
        } elseif (str_contains($reason, 'larder.pools')) {
            $this->set('stores', $reason, 'larder.pools', (string) min(1024, 2 * (int) $this->value('larder.pools')));
        } else {
            $this->add('wrong', 'stores', $reason, 'look for it in', 'docs/troubleshooting.md');
        }
    }

    /* ---- other caches, opcache, and the system ---- */

    private function compat(): void
    {
        $layers = preg_split('/[, \t]+/', strtolower($this->value('larder.compat')), -1, PREG_SPLIT_NO_EMPTY) ?: [];
        foreach (array_intersect(['apcu', 'immutable_cache', 'memsession'], $layers) as $layer) {
            foreach ($this->ini->loading($layer) as $line) {
                $this->add('wrong', 'compat', "larder.compat names $layer, but that extension is loaded itself", "remove from {$line['file']}, line {$line['line']}", "{$line['name']}={$line['value']}");
            }
        }
    }

    private function isolation(): void
    {
        if ($this->facts['dumpable']) {
            $this->add('wrong', 'isolation', "every process of user {$this->facts['user']} can read the memory of this pool's workers", "write into the section [{$this->facts['pool']}] of the pool", 'process.dumpable = no');
        }
    }

    private function opcache(): void
    {
        $opcache = $this->facts['opcache'];
        $jit = strtolower($this->value('opcache.jit'));
        $wanted = ($this->facts['settings']['opcache.jit']['configured'] ?? null) !== null && !in_array($jit, ['', '0', 'off', 'no', 'false', 'disable'], true);
        $buffer = self::bytes($this->value('opcache.jit_buffer_size'));
        if ($opcache['on'] && $wanted && $buffer === 0) {
            $this->set('jit', "opcache.jit is $jit, but the JIT has no memory, so it is off", 'opcache.jit_buffer_size', '64M');
        }
        if ($opcache['full']) {
            $this->set('opcache', 'the memory of opcache is full', 'opcache.memory_consumption', (string) (2 * max(64, (int) $this->value('opcache.memory_consumption'))));
        }
        if ($opcache['on']) {
            $this->add('right', 'opcache', 'opcache is on, the JIT is ' . ($opcache['jit'] ? 'on' : 'off'));
        } elseif ($this->cli()) {
            $this->add('note', 'opcache', 'opcache is off on the command line, as it usually is');
        } elseif (!$opcache['loaded']) {
            $this->add('wrong', 'opcache', 'opcache is not loaded, so each request compiles the program, and builds constant arrays and classes anew', 'write into ' . $this->ini->file(), 'zend_extension=opcache');
        } else {
            $this->set('opcache', 'opcache is off, so each request compiles the program, and builds constant arrays and classes anew', 'opcache.enable', '1');
        }
    }

    private function kernel(): void
    {
        $kernel = $this->facts['kernel'];
        $wrong = array_filter($this->findings, static fn(array $finding): bool => $finding['check'] === 'kernel');
        if ($kernel === '') {
            return; // not mounted, or hidden by open_basedir
        }
        if (version_compare($kernel, self::OLDEST_KERNEL, '<')) {
            $this->add('note', 'kernel', "Linux $kernel has no membarrier(2) as Larder wants it (" . self::OLDEST_KERNEL . ' has): each read takes some nanoseconds more');
        } elseif ($wrong === []) {
            $this->add('right', 'kernel', "Linux $kernel" . ($this->facts['stores']['on'] !== [] ? ': memfd_create(2) and membarrier(2) work' : ''));
        }
    }
}
