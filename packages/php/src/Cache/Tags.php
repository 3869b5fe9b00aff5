<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Pool;

/**
 * Implements tags. A tag is a number in the store, and an entry keeps the numbers that its tags had when it was stored. The entry is
 * valid while they are equal, so the cost of invalidating a tag does not depend on its entries.
 *
 * A tag gets a random number when it is first needed. So after its eviction it cannot get the number that an old entry still has.
 * Invalidating a tag adds 1 to its number. If the tag has no number, the sum is below LEAST, which no entry may keep. That sum is
 * deleted at once; a process that finds it before that replaces it.
 *
 * Two processes may race: an entry computed from old data, but stored after its tag was invalidated, is valid. As
 * everywhere, a tag has to be invalidated after the data changed, and entries need a time to live as a last resort.
 *
 * @internal
 */
final class Tags
{
    private const TRIES = 8; // attempts to create a number that other processes delete meanwhile
    public const LEAST = 1 << 32;
    private const MOST = 1 << 61; // upper bound of random numbers, so that any number of invalidations stays within the range of int

    public function __construct(private readonly Pool|Store $store) {}

    /**
     * Returns the numbers of tags; tags without a number get one.
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
