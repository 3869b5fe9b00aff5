<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Pool;

/**
 * Implements tags. A tag is a number in the store. An entry records the numbers of its tags when it is stored, and is valid while the tags
 * still have these numbers. So the cost of invalidating a tag does not depend on the number of entries.
 *
 * When a tag is first needed, it gets a random number, at least LEAST. So if a tag was evicted, its new number differs from the number in
 * old entries. Invalidating a tag adds 1 to its number. If the tag has no number, this creates a number below LEAST, which is not random.
 * No entry may record such a small number, so invalidate() deletes it. If another process needs the tag's number meanwhile, it replaces the
 * small number by a random one.
 *
 * One race is possible in all caches: an entry is valid if it was computed from old data, but stored after its tag was invalidated. So
 * invalidate a tag after the data has changed, and give entries a time to live as a last resort.
 *
 * @internal
 */
final class Tags
{
    // How often to try to give a tag a number. A try fails if the store is full, or if another process invalidates the tag at the same
    // moment.
    private const TRIES = 8;
    public const LEAST = 1 << 32;
    // A tag's first number is random, and at most MOST. Each invalidation adds 1 to it. MOST is so far below the largest int that no number
    // overflows.
    private const MOST = 1 << 61;

    public function __construct(private readonly Pool|Store $store) {}

    /**
     * Returns the numbers of tags. A tag without a number gets one.
     *
     * @param list<string> $keys of the tags in the store
     * @return array<string, int>|null null: the store has no room for the numbers
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
