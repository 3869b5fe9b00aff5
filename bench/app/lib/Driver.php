<?php

declare(strict_types=1);

namespace Bench;

/**
 * A cache that is measured. A class drivers/TwoWords.php is the driver "two-words". The constructor connects, or throws an Unavailable that
 * says what to install or start.
 */
interface Driver
{
    /** Lines of php.ini. Extensions are given by name. An extension must follow the extensions that it needs. */
    public const SETTINGS = [];

    /** The command that starts the server, if the driver needs one. The server must listen on the socket {socket} (see Place). */
    public const SERVER = [];

    /** Atomically adds one to a counter, and returns the new value. A counter begins at 0. */
    public function increment(string $key): int;

    public function store(string $key, mixed $value): void;

    /** Returns the stored value, or null if there is none. */
    public function fetch(string $key): mixed;
}
