<?php

declare(strict_types=1);

namespace Bench;

/**
 * A cache that is measured. A class drivers/TwoWords.php is the driver "two-words"; there is nothing to register.
 * The constructor connects and throws Unavailable when something is missing, and says what to install or start.
 */
interface Driver
{
    /** Lines of php.ini. Extensions are given by name; one that another needs comes first. */
    public const SETTINGS = [];

    /** The command of the server, if there is one, which listens on the socket {socket} (see Place). */
    public const SERVER = [];

    /** Adds one to a counter, which begins with 0, atomically, and returns the sum. */
    public function increment(string $key): int;

    public function store(string $key, mixed $value): void;

    /** Returns the stored value, or null if there is none. */
    public function fetch(string $key): mixed;
}
