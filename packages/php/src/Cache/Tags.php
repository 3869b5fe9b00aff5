<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Pool;

/**
 * Implements tags. A tag is a number in the store. An entry records the numbers of its tags when it is stored, and is valid while the tags
 * still have these numbers.
 *
 * A new tag gets a random number, at least LEAST. So if the store has evicted a tag, the tag's next number differs from the number that old
 * entries record. If invalidate() increments a missing tag, the store creates the tag with a number below LEAST. No entry may record such a
 * number, so invalidate() deletes the tag. If another process finds the number before it is deleted, that process replaces it by a
 * random one.
 *
 * An entry may be computed from old data, but stored after its tag was invalidated. Such an entry counts as valid, although its data is
 * stale. So change the data first, then invalidate the tag, and give entries a time to live.
 *
 * @internal
 */
final class Tags
{
    // How often to try to give a tag a number. A try fails if the store is full or another process invalidates the tag.
    private const TRIES = 8;
    public const LEAST = 1 << 32;
    // A new tag gets a random number from LEAST to MOST. Each invalidation adds 1 to it. MOST is so small that the sum never overflows an
    // int.
    private const MOST = 1 << 61;

    public function __construct(private readonly Pool|Store $store) {}

    /**
     * Returns the numbers of tags. A tag without a number gets one.
     *
     * @param list<string> $keys the keys that the tags have in the store
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
