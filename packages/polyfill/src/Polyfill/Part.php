<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/**
 * The content of a log: records, each with a kind and a key. A method that changes a record must run within Log::run(), and call
 * Log::changed().
 */
interface Part
{
    /** Returns a record, which contains no objects, or null if the record is gone. */
    public function record(string $kind, string $key): mixed;

    /** Stores a record of another process, or removes it if $record is null. */
    public function apply(string $kind, string $key, mixed $record): void;

    /** @return iterable<array{string, string}> kind and key of each record */
    public function all(): iterable;

    /** Drops all records, which will be read again. */
    public function forget(): void;

    /** Called in a forked child. Drops the counts that the parent will write. */
    public function forked(): void;

    /** Called when the request ends. Adds the counts of this process to the shared counts. */
    public function finish(): void;
}
