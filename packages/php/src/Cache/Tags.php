<?php

declare(strict_types=1);

namespace Larder\Cache;

use Larder\Pool;

/**
 * Implements tags. A tag is a number in the store. An entry records the numbers of its tags when it is stored, and is valid while these
 * numbers stay the same.
 *
 * - A new tag gets a random number, at least LEAST. So after an eviction, a tag's next number differs from the one in old entries.
 * - invalidate() increments the number of a tag. For a missing tag, the result is below LEAST. No entry may record such a number, so
 *   invalidate() deletes it, and numbers() replaces it.
 * - A process may read old data, and store it as an entry after another process has invalidated the tag. Such an entry counts
 *   as valid, although its data is old. So change the data before you invalidate its tag, and give entries a time to live.
 *
 * @internal
 */
final class Tags
{
    // How often to try to give a tag a number.
    private const TRIES = 8;
    public const LEAST = 1 << 32;
    // A new number lies between LEAST and MOST. Each invalidation adds 1, so MOST is far below the largest int.
    private const MOST = 1 << 61;

    public function __construct(private readonly Pool|Store $store) {}

    /**
     * Returns the numbers of tags. Gives a number to a tag without one.
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
