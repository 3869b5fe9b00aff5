<?php

declare(strict_types=1);

namespace Larder\Cache\Tiered;

/**
 * Scripts for the server, which runs each of them in one step.
 *
 * @internal
 */
final class Scripts
{
    /** Arguments: a key, a step, a new key's time to live (ms). Returns the sum as text, or nil if the value is no number. */
    public const INCREMENT = 'local new=redis.call("EXISTS",KEYS[1])==0 local v=redis.pcall("INCRBY",KEYS[1],ARGV[1]) '
        . 'if type(v)=="table" then return false end if new and ARGV[2]~="0" then redis.call("PEXPIRE",KEYS[1],ARGV[2]) end return tostring(redis.call("GET",KEYS[1]))';
    /** Arguments: a key, a value. Deletes the key if it has this value. */
    public const DELETE_IF = 'if redis.call("GET",KEYS[1])==ARGV[1] then return redis.call("DEL",KEYS[1]) end return 0';

    /** Returns the pattern for SCAN that matches all keys that begin with $prefix. */
    public static function pattern(string $prefix): string
    {
        return addcslashes($prefix, '*?[]\\') . '*';
    }
}
