<?php

declare(strict_types=1);

namespace Larder\Ops;

use Larder\Inspector;
use Larder\Queue;
use Larder\StaticCacheException;

/**
 * All operations on stores, run in the command itself or in a worker of FPM. Arguments and answers are arrays of scalars, because FastCGI
 * may send them. Start with run().
 */
final class Operations
{
    /** The kinds of stores. */
    public const STORES = ['volatile', 'pinned', 'immutable', 'apcu', 'session', 'queue'];

    /** The orders in which entries can be listed. */
    public const ORDERS = ['size', 'uses', 'age', 'ttl', 'key'];

    /** Matches the reason why a store is off, if the configuration has switched it off. Such a store is not a fault. */
    public const SWITCHED_OFF = '/ is 0$|: larder\.compat does not switch on |: this PHP has no session extension$/';

    /** @var array<string, string> */
    private array $reasons = [];

    /**
     * @param array<string, string> $paths the paths of the stores' files, by the names of the stores; if it is [], use this process's own
     * stores
     */
    public function __construct(private array $paths = []) {}

    /**
     * @param array<string, mixed> $arguments
     * @return array<string, mixed>
     */
    public function run(string $operation, array $arguments): array
    {
        if ($operation === 'doctor') { // works without the extension, and then reports that the extension is missing
            return Facts::gather(self::pool());
        }
        if (!class_exists(Inspector::class, false)) {
            throw Failure::failed('the extension larder is not loaded in ' . PHP_SAPI . ' (' . PHP_BINARY . '); see php --ini');
        }
        if (($arguments['store'] ?? '') === 'queue' && in_array($operation, ['totals', 'entries', 'keys', 'get', 'delete', 'clear'], true)) {
            throw Failure::usage('a store of queues has no entries; "larder queues" lists its queues, as does the tab Queues of the dashboard');
        }
        try {
            return match ($operation) {
                'stats' => $this->stats($arguments['store'] ?? null),
                'totals' => ['totals' => $this->store($arguments)->totals((string) ($arguments['prefix'] ?? ''))],
                'entries' => ['entries' => $this->store($arguments)->entries(
                    (string) ($arguments['prefix'] ?? ''),
                    (string) ($arguments['order'] ?? ''),
                    (int) ($arguments['limit'] ?? 0),
                    $arguments['pool'] ?? null,
                )],
                'keys' => ['keys' => $this->store($arguments)->keys((string) ($arguments['prefix'] ?? ''), (int) ($arguments['limit'] ?? 0), $arguments['pool'] ?? null, !isset($arguments['pool']))],
                'get' => $this->get($arguments),
                'delete' => $this->delete($arguments),
                'clear' => $this->clear($arguments),
                'queues' => ['queues' => $this->queues()],
                'kick' => ['kicked' => $this->queue((string) $arguments['name'])->kick((int) ($arguments['limit'] ?? 0) ?: PHP_INT_MAX)],
                'settings' => ['settings' => array_map(strval(...), (array) ini_get_all('larder', false))],
                'clear_queue' => ['cleared' => $this->queue((string) $arguments['name'])->clear()],
                'fsck' => ['violations' => $this->store($arguments)->fsck()],
                'threads' => ['threads' => $this->store($arguments)->threads()],
                'warm' => $this->warm((string) $arguments['file']),
                default => throw Failure::usage("no operation \"$operation\""),
            };
        } catch (StaticCacheException $e) {
            throw Failure::failed($e->getMessage());
        } catch (\ValueError $e) {
            throw Failure::usage((string) preg_replace('/^\S+\(\): Argument #\d+ \(\$(\w+)\)/', '$1', $e->getMessage())); // the message becomes "key must be ..."
        }
    }

    /** @param array<string, mixed> $arguments */
    private function store(array $arguments): Inspector
    {
        $name = (string) ($arguments['store'] ?? 'volatile');
        if ($this->paths === []) {
            return Inspector::own($name);
        }
        return Inspector::open($this->paths[$name] ?? throw Failure::usage("there is no store \"$name\" here, only " . implode(', ', array_keys($this->paths))));
    }

    /** @return array<string, mixed> */
    private function stats(?string $only): array
    {
        $stores = [];
        $this->reasons = [];
        $names = $this->paths !== [] ? array_keys($this->paths) : self::STORES;
        foreach ($only !== null ? [$only] : $names as $name) {
            try {
                $stores[$name] = ['name' => $name] + $this->store(['store' => $name])->stats();
                $stores[$name]['path'] = $this->paths[$name] ?? $stores[$name]['path'];
            } catch (StaticCacheException $e) {
                $this->reasons[$name] = $e->getMessage();
            }
        }
        return ['stores' => $stores, 'off' => $this->reasons, 'php' => PHP_VERSION, 'sapi' => PHP_SAPI, 'pool' => self::pool(), 'larder' => (string) phpversion('larder'), 'time' => microtime(true)];
    }

    /** Returns the name of the FPM pool of this worker, or "" in any other process. */
    private static function pool(): string
    {
        $title = PHP_SAPI === 'fpm-fcgi' ? (string) @file_get_contents('/proc/self/cmdline') : '';
        return preg_match('/^php-fpm: pool ([^\0]+?) *\0*$/', $title, $match) ? $match[1] : '';
    }

    /**
     * @param array<string, mixed> $arguments
     * @return array<string, mixed>
     */
    private function get(array $arguments): array
    {
        $store = $this->store($arguments);
        $key = (string) $arguments['key'];
        $value = $store->value($key, $found);
        if (!$found) {
            return ['found' => false, 'there' => self::entry($store, $key) !== null];
        }
        $answer = ['found' => true, 'type' => get_debug_type($value), 'entry' => isset($arguments['details']) ? self::entry($store, $key) : null];
        if (($arguments['form'] ?? '') === 'json') {
            return $answer + ['json' => Printer::json($value)];
        }
        [$text, $cut] = Printer::text($value, $arguments['most'] ?? null);
        return $answer + ['text' => $text, 'cut' => $cut];
    }

    /**
     * Returns the facts of an entry, without its value. In the order of keys, the entry with exactly this key is the first one whose key
     * begins with $key.
     * @return ?array<string, mixed>
     */
    private static function entry(Inspector $store, string $key): ?array
    {
        $first = $store->entries($key, 'key', 1, '')[0] ?? null;
        return $first !== null && $first['key'] === $key ? $first : null;
    }

    /**
     * @param array<string, mixed> $arguments
     * @return array<string, mixed>
     */
    private function delete(array $arguments): array
    {
        $store = $this->store($arguments);
        $deleted = array_filter((array) $arguments['keys'], fn(mixed $key): bool => $store->delete((string) $key));
        return ['deleted' => array_values($deleted), 'asked' => count((array) $arguments['keys'])];
    }

    /**
     * @param array<string, mixed> $arguments
     * @return array<string, mixed>
     */
    private function clear(array $arguments): array
    {
        $name = (string) ($arguments['store'] ?? 'volatile');
        if (isset($arguments['pool'])) {
            $name === 'volatile' || throw Failure::usage("--pool: the $name store has no pools");
            $this->isOwn($name) || throw Failure::usage('pools are cleared by a PHP that uses them: give --fpm, or set larder.scope and larder.enable_cli for the command line');
        }
        // To clear a pool, VolatileCache::pool() below opens this process's own store. A process can map a file only once, so also use the
        // own store here.
        $store = isset($arguments['pool']) ? Inspector::own($name) : $this->store($arguments);
        $path = $this->paths[$name] ?? $store->stats()['path'];
        $whose = ['store' => $name, 'path' => $path, 'user' => Facts::user(Facts::owner($path)), 'pool' => self::pool()];
        if (!isset($arguments['pool'])) {
            return ['cleared' => $store->clear((string) ($arguments['prefix'] ?? ''))] + $whose;
        }
        $pool = \Larder\VolatileCache::pool((string) $arguments['pool']);
        $entries = $pool->info()->entry_count;
        return ['cleared' => $pool->clear() ? $entries : 0] + $whose;
    }

    /** @return list<array<string, mixed>> the figures of each queue, without its messages */
    private function queues(): array
    {
        $this->ownQueues();
        return array_map(fn(string $name): array => ['name' => $name] + get_object_vars(Queue::open($name)->info()), Queue::names());
    }

    /** Throws if this process cannot reach the queues. */
    private function ownQueues(): void
    {
        if ($this->paths === []) {
            Inspector::own('queue'); // throws and says why queues are off
            return;
        }
        isset($this->paths['queue']) || throw Failure::failed('there are no queues: no program has used one in this scope');
        $this->isOwn('queue') || throw Failure::usage('queues are reached through a PHP that uses them: give --fpm, or set larder.scope and larder.enable_cli for the command line');
    }

    /** Returns true if the settings of this process select the same store as --scope and --path. */
    private function isOwn(string $store): bool
    {
        if ($this->paths === []) {
            return true;
        }
        if (!isset($this->paths[$store])) {
            return false;
        }
        [$scope, $folder] = [(string) ini_get('larder.scope'), (string) ini_get('larder.path')];
        // compare the paths first, because own() would create a store
        if (($scope === '' && $folder === '') || realpath(Inspector::path($store, $scope ?: 'default', $folder ?: '/dev/shm')) !== realpath($this->paths[$store])) {
            return false;
        }
        try {
            Inspector::own($store);
            return true;
        } catch (StaticCacheException) {
            return false;
        }
    }

    private function queue(string $name): Queue
    {
        $this->ownQueues();
        return in_array($name, Queue::names(), true) ? Queue::open($name) : throw Failure::failed('there is no queue ' . Text::key($name));
    }

    /** @return array<string, mixed> */
    private function warm(string $file): array
    {
        if (!is_file($file) || !is_readable($file)) {
            throw Failure::failed(is_dir($file) ? "$file is a folder; a PHP file is expected"
                : "$file cannot be read by user " . OtherUsers::name(OtherUsers::me()) . (@is_file($file) ? '' : ', or does not exist'));
        }
        $own = (new self())->stats(null)['stores'];
        if ($this->paths !== [] && array_intersect(array_map(realpath(...), $this->paths), array_map(realpath(...), array_filter(array_column($own, 'path')))) === []) {
            throw Failure::usage('warm fills the stores of php.ini, which are others; run php -d larder.scope=NAME FILE');
        }
        $start = microtime(true);
        (static fn() => require $file)();
        $seconds = microtime(true) - $start;
        return ['seconds' => $seconds, 'entries' => self::entries((new self())->stats(null)['stores']) - self::entries($own)];
    }

    /** @param array<string, array<string, mixed>> $stores */
    private static function entries(array $stores): int
    {
        return array_sum(array_column($stores, 'entries'));
    }
}
