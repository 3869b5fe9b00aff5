<?php

declare(strict_types=1);

namespace Larder;

use Larder\Polyfill\Cache;
use Larder\Polyfill\Closed;
use Larder\Polyfill\Fault;
use Larder\Polyfill\Record;
use Larder\Polyfill\Store;
use Larder\Polyfill\Waits;

/**
 * A value that one process publishes and all others read, such as flags, routes or prices. PinnedCache::clear() removes it.
 */
final class Broadcast
{
    use Closed;

    /** The last published value, or null if no value was published. */
    public readonly mixed $value;
    /** A number that rises with each publication, and is never used twice. 0 if nothing was published since PinnedCache::clear(). */
    public readonly int $version;

    private readonly string $name;

    private function __construct() {}

    /** Opens the broadcast with this name of 1 to 1024 bytes. Opening takes longer than reading, so keep the object. */
    public static function open(string $name): Broadcast
    {
        Fault::most(\func_num_args(), 1);
        if ($name === '' || \strlen($name) > 1024) {
            throw Fault::argument(\ValueError::class, 1, 'must be between 1 and 1024 bytes long, ' . \strlen($name) . ' given');
        }
        $broadcast = Record::make(self::class, ['name' => $name]);
        // Unset these properties, so that reading them calls __get().
        unset($broadcast->value, $broadcast->version); // @phpstan-ignore unset.readOnlyProperty, unset.readOnlyProperty
        return $broadcast;
    }

    /** Stores a value, and wakes all waiting processes. Returns false if there is no room. */
    public function publish(mixed $value): bool
    {
        Fault::most(\func_num_args(), 1);
        return Cache::pinned()->publish($this->name, $value);
    }

    /** Sleeps until the version differs from $version. Returns false after $timeout seconds, or at a signal. */
    public function wait(int $version, int|float $timeout): bool
    {
        Fault::most(\func_num_args(), 2);
        $end = Store::now() + Fault::seconds($timeout, 2);
        while ($this->version === $version) {
            $left = $end - Store::now();
            if ($left <= 0 || !Waits::sleep(min($left, Store::LAST_PAUSE))) {
                return false;
            }
        }
        return true;
    }

    public function __get(string $property): mixed
    {
        return match ($property) {
            'value' => Cache::pinned()->published($this->name)[0],
            'version' => Cache::pinned()->published($this->name)[1],
            default => null,
        };
    }

    public function __set(string $name, mixed $value): void
    {
        throw $this->refusesChange($name);
    }

    public function __unset(string $name): void
    {
        throw $this->refusesChange($name);
    }

    private function refusesChange(string $name): \Error
    {
        return new \Error(\in_array($name, ['value', 'version'], true)
            ? 'Cannot modify property ' . self::class . "::\$$name; see publish()" : 'Cannot create dynamic property ' . self::class . "::\$$name");
    }

    public function __isset(string $property): bool
    {
        return $this->__get($property) !== null;
    }
}
