<?php

declare(strict_types=1);

namespace Larder\MediaWiki;

use Larder\Cache\Exception\ExtensionMissing;
use Larder\Pool;
use Larder\VolatileCache;
use MediumSpecificBagOStuff;

/**
 * MediaWiki's object cache in a pool of the volatile store (see docs/frameworks/mediawiki.md). The parameter "pool" is the name of the pool
 * (default: "mediawiki"). Ints are atomic counters.
 */
final class LarderBagOStuff extends MediumSpecificBagOStuff
{
    private readonly Pool $store;

    /** @param array<string, mixed> $params */
    public function __construct(array $params = [])
    {
        $params['segmentationSize'] = INF; // do not split large values, because they are fetched as fast as small ones
        parent::__construct($params);
        $name = $params['pool'] ?? 'mediawiki';
        // Use the extension directly, because a request that loads classes of this package takes longer.
        \class_exists(VolatileCache::class) || throw new ExtensionMissing();
        $this->store = VolatileCache::pool(\is_string($name) ? $name : 'mediawiki');
        $this->attrMap[self::ATTR_DURABILITY] = PHP_SAPI === 'cli' ? self::QOS_DURABILITY_SCRIPT : self::QOS_DURABILITY_SERVICE;
    }

    /**
     * @param array<array-key, mixed> $valueByKey
     * @return array<array-key, mixed>
     */
    public function setNewPreparedValues(array $valueByKey)
    {
        return $this->guessSerialSizeOfValues($valueByKey);
    }

    /**
     * @param string $keyspace
     * @param array<mixed> $components
     * @return string
     */
    public function makeKeyInternal($keyspace, $components)
    {
        // MediaWiki 1.39 has genericKeyFromComponents(), later versions have makeKeyInternal(). The stub of our tests has both.
        // @phpstan-ignore function.alreadyNarrowedType
        return method_exists(parent::class, 'genericKeyFromComponents')
            ? $this->genericKeyFromComponents($keyspace, ...$components)
            : parent::makeKeyInternal($keyspace, $components);
    }

    /**
     * @param string|int $key
     * @param int $value
     * @param int $flags
     * @return int|bool false: the entry does not exist, or is not an int
     */
    public function incr($key, $value = 1, $flags = 0)
    {
        // if the entry has expired since find(), increment() makes a new entry, which lives for 1 second
        return \is_int($this->find((string) $key)) ? $this->store->increment((string) $key, (int) $value, 1) : false;
    }

    /**
     * @param string|int $key
     * @param int $value
     * @param int $flags
     * @return int|bool
     */
    public function decr($key, $value = 1, $flags = 0)
    {
        return $this->incr($key, -(int) $value, $flags);
    }

    /**
     * @param string|int $key
     * @param int $flags
     * @param mixed $casToken
     * @return mixed false: there is no entry
     */
    protected function doGet($key, $flags = 0, &$casToken = null)
    {
        $wanted = $casToken === self::PASS_BY_REF;
        $casToken = null;
        $value = $this->find((string) $key);
        if ($value === $this) {
            return false;
        }
        if ($wanted) {
            // Serialize the value now, because a callback of merge() may change its objects before the token is compared.
            $casToken = \is_array($value) || \is_object($value) ? [\serialize($value)] : $value;
        }
        return $value;
    }

    /**
     * @param string|int $key
     * @param mixed $value
     * @param int $exptime
     * @param int $flags
     * @return bool
     */
    protected function doSet($key, $value, $exptime = 0, $flags = 0)
    {
        $life = $this->life($exptime);
        try {
            if ($life >= 0) {
                return $this->store->set((string) $key, $value, $life);
            }
        } catch (\Throwable) { // the value cannot be stored
        }
        $this->store->delete((string) $key);
        return $life < 0;
    }

    /**
     * @param string|int $key
     * @param mixed $value
     * @param int $exptime
     * @param int $flags
     * @return bool
     */
    protected function doAdd($key, $value, $exptime = 0, $flags = 0)
    {
        $life = $this->life($exptime);
        try {
            if ($life >= 0 && $this->store->add((string) $key, $value, $life)) {
                return true;
            }
            $missing = $this->find((string) $key) === $this;
            if (!$missing || $life < 0) {
                return $missing;
            }
            // A hook of the entry's class throws, so the entry counts as missing.
            return $this->store->delete((string) $key) && $this->store->add((string) $key, $value, $life);
        } catch (\Throwable) {
            return false;
        }
    }

    /** Returns the value of an entry. Returns $this if there is no entry, or if its value cannot be restored. */
    private function find(string $key): mixed
    {
        try {
            return $this->store->get($key, $this);
        } catch (\Throwable) { // a hook of the stored class has thrown
            return $this;
        }
    }

    /**
     * @param string|int $key
     * @param int $flags
     * @return bool
     */
    protected function doDelete($key, $flags = 0)
    {
        return $this->store->delete((string) $key) || !$this->store->has((string) $key);
    }

    /**
     * @param string|int $key
     * @param int $exptime
     * @param int $step
     * @param int $init
     * @param int $flags
     * @return int|bool
     */
    protected function doIncrWithInit($key, $exptime, $step, $init, $flags)
    {
        if ($this->doAdd($key, $init, $exptime)) {
            return $init;
        }
        // If the entry has expired since doAdd(), increment() makes a new entry, which needs a time to live, too.
        $life = $this->life($exptime);
        return $this->store->increment((string) $key, $step, $life < 0 ? 1 : $life);
    }

    /**
     * @param string $key
     * @return string
     */
    protected function convertGenericKey($key)
    {
        return $key;
    }

    /** Converts a time of MediaWiki to seconds from now. 0: no limit. Below 0: in the past. */
    private function life(int|float|string $exptime): int
    {
        return (int) $this->getExpirationAsTTL((int) $exptime);
    }
}
