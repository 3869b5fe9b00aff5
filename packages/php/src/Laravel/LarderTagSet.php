<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\TagSet;

/**
 * Tags with random identifiers. An evicted tag gets a new identifier, so entries with the old one stay invalid. If several processes make
 * an identifier for one tag at once, all use the identifier that was stored first.
 */
final class LarderTagSet extends TagSet
{
    /**
     * @param string $name
     * @return string
     */
    public function resetTag($name)
    {
        $id = bin2hex(random_bytes(8));
        $this->store->forever($this->tagKey($name), $id);
        return $id;
    }

    /**
     * @param string $name
     * @return string
     */
    public function tagId($name)
    {
        $key = $this->tagKey($name);
        \assert($this->store instanceof LarderStore);
        for ($try = 0; $try < 8; $try++) {
            $id = $this->store->get($key);
            if (\is_string($id)) {
                return $id;
            }
            $id = bin2hex(random_bytes(8));
            if ($this->store->add($key, $id, 0)) {
                return $id;
            }
        }
        return bin2hex(random_bytes(8)); // the store has no room for this identifier, so no later call will find values that use it
    }

    /** False if the last flush() was incomplete, because a server did not answer. */
    private bool $flushed = true;

    /**
     * @param string $name
     * @return string
     */
    public function flushTag($name)
    {
        \assert($this->store instanceof LarderStore);
        $this->flushed = $this->store->remove($this->tagKey($name)) && $this->flushed;
        return $this->tagKey($name);
    }

    /** @internal */
    public function flushed(): bool
    {
        return $this->flushed;
    }

    /** @return void */
    public function flush()
    {
        $this->flushed = true;
        array_walk($this->names, function (mixed $name): void {
            $this->flushTag($name === null || \is_scalar($name) || $name instanceof \Stringable ? (string) $name : throw new \TypeError('A tag must be a string'));
        });
    }

    /** @return void */
    public function reset()
    {
        $this->flush();
    }
}
