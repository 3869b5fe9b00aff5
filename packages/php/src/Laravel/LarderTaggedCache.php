<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\TaggedCache;

/** Laravel's tagged cache. add() and pull() are atomic, as they are without tags. */
final class LarderTaggedCache extends TaggedCache
{
    use PullsOnce;

    /** @return bool false: the server did not answer, so a tag may still exist */
    public function flush()
    {
        return parent::flush() && (!$this->tags instanceof LarderTagSet || $this->tags->flushed());
    }

    /**
     * @param string|\UnitEnum $key
     * @param mixed $value
     * @param \DateTimeInterface|\DateInterval|int|null $ttl
     * @return bool
     */
    public function add($key, $value, $ttl = null)
    {
        $seconds = $ttl === null ? 0 : $this->getSeconds($ttl);
        if ($ttl !== null && $seconds <= 0) {
            return false;
        }
        \assert($this->store instanceof LarderStore);
        $key = $key instanceof \BackedEnum ? (string) $key->value : ($key instanceof \UnitEnum ? $key->name : $key);
        return $this->store->add($this->itemKey($key), $value, $seconds);
    }
}
