<?php

declare(strict_types=1);

namespace Larder\Laravel;

use Illuminate\Cache\Lock;
use Larder\Cache\Locks;

/** A lock in the pinned store. Its owner is a name, so another process can release it. */
final class LarderLock extends Lock
{
    private readonly string $resource;

    /**
     * @param string|int $name
     * @param int $seconds the seconds after which the lock ends; 0: it ends only when it is released
     * @param string|int|null $owner
     */
    public function __construct(private readonly Locks $locks, string $prefix, $name, $seconds, $owner = null)
    {
        parent::__construct((string) $name, $seconds, $owner === null ? null : (string) $owner);
        $this->resource = self::resource($prefix, $this->name);
    }

    /** @internal Returns the name of a lock in the store. The first colon in this name ends the prefix. */
    public static function resource(string $prefix, string $name): string
    {
        return strtr($prefix, ['%' => '%25', ':' => '%3A']) . ":$name";
    }

    /** @return bool */
    public function acquire()
    {
        // as in Laravel's own stores, an owner cannot take a lock that it already has
        return $this->locks->acquire($this->resource, $this->owner, $this->seconds > 0 ? (float) $this->seconds : null, false);
    }

    /** @return bool */
    public function release()
    {
        return $this->locks->release($this->resource, $this->owner);
    }

    /** @return void */
    public function forceRelease()
    {
        $this->locks->break($this->resource);
    }

    /**
     * Gives the lock a new time to live from now.
     *
     * @param int|null $seconds null: the time that was given when the lock was made
     * @return bool false: this owner does not have the lock
     */
    public function refresh($seconds = null)
    {
        $seconds ??= $this->seconds;
        return $this->locks->prolong($this->resource, $this->owner, $seconds > 0 ? (float) $seconds : null);
    }

    /** @return string|null */
    protected function getCurrentOwner()
    {
        return $this->locks->owners($this->resource)[0] ?? null;
    }
}
