<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Pool;

/**
 * Implements tags. A tag is a number in the store. An entry keeps the numbers that its tags had when it was stored, and is valid while the
 * tags still have these numbers. So invalidating a tag costs the same for any number of entries.
 *
 * When a tag is first needed, it gets a random number. So if it was evicted, it does not get a number again that an old entry still
 * has. Invalidating a tag adds 1 to its number. If the tag has no number, the sum is smaller than LEAST, and no entry may keep such
 * a number. So the sum is deleted at once. A process that finds it before it is deleted replaces it by a random number.
 *
 * One race is possible: an entry that was computed from old data, but stored after its tag was invalidated, is valid. This is so in
 * all caches. So invalidate a tag after the data has changed, and give entries a time to live as a last resort.
 *
 * @internal
 */
final class Tags
{
    private const TRIES = 8; // attempts to create a number while other processes delete it
    public const LEAST = 1 << 32;
    // upper bound of random numbers; far from the largest int, which invalidations can thus never reach
    private const MOST = 1 << 61;

    public function __construct(private readonly Pool|Store $store) {}

    /**
     * Returns the numbers of tags. A tag without a number gets one.
     *
     * @param list<string> $keys of the tags in the store
     * @return array<string, int>|null null: the store has no room for them
     */
    public function numbers(array $keys): ?array
    {
        $numbers = [];
        foreach ($keys as $key) {
            /** @var mixed $number */
            $number = $this->store->get($key);
            for ($try = 0; !\is_int($number) || $number < self::LEAST; $try++) {
                if ($try === self::TRIES) {
                    return null;
                }
                $new = random_int(self::LEAST, self::MOST);
                $made = \is_int($number) ? $this->store->set($key, $new) : $this->store->add($key, $new);
                $number = $made ? $new : $this->store->get($key);
            }
            \assert(\is_int($number));
            $numbers[$key] = $number;
        }
        return $numbers;
    }

    /** @param list<string> $keys */
    public function invalidate(array $keys): bool
    {
        $done = true;
        foreach ($keys as $key) {
            $number = $this->store->increment($key);
            if ($number === false || $number < self::LEAST) {
                $done = Removal::of($this->store, [$key]) && $done;
            }
        }
        return $done;
    }
}
