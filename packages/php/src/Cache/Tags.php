<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Pool;

/**
 * Tags: a tag is a number in the store, and an entry keeps the numbers that its tags had when it was stored. The entry
 * is valid while they are the same, so invalidating a tag costs the same however many entries have it.
 *
 * A tag that is invalidated is deleted, and one that is needed anew gets a random number: one that was evicted cannot
 * get a number again that an old entry still has.
 *
 * Two processes may race: an entry computed from old data, but stored after its tag was invalidated, is valid. As
 * everywhere, a tag has to be invalidated after the data changed, and entries need a time to live as a last resort.
 *
 * @internal
 */
final class Tags
{
    private const TRIES = 8; // to make a number that others delete

    public function __construct(private readonly Pool|Store $store) {}

    /**
     * The numbers of tags; those without one get it.
     *
     * @param list<string> $keys of the tags in the store
     * @return array<string, int>|null null: the store has no room for them
     */
    public function numbers(array $keys): ?array
    {
        $numbers = [];
        foreach ($keys as $key) {
            $number = $this->store->get($key);
            for ($try = 0; !\is_int($number); $try++) {
                if ($try === self::TRIES) {
                    return null;
                }
                $new = random_int(1, PHP_INT_MAX);
                $number = $this->store->add($key, $new) ? $new : $this->store->get($key);
            }
            $numbers[$key] = $number;
        }
        return $numbers;
    }

    /**
     * Whether the tags still have these numbers.
     *
     * @param array<string, int> $numbers
     */
    public function hold(array $numbers): bool
    {
        foreach ($numbers as $key => $number) {
            if ($this->store->get($key) !== $number) {
                return false;
            }
        }
        return true;
    }

    /** @param list<string> $keys */
    public function invalidate(array $keys): bool
    {
        $gone = true;
        foreach ($keys as $key) {
            $gone = ($this->store->delete($key) || !$this->store->has($key)) && $gone;
        }
        return $gone;
    }
}
