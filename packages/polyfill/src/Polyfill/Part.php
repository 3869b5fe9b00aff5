<?php

declare(strict_types=1);

namespace Larder\Polyfill;

/**
 * The content of a log: the entries of a store, or all queues. It consists of records, each with a kind and a key. A method that changes a
 * record calls Log::changed() within Log::run().
 */
interface Part
{
    /** Returns a record in a form for serialize(), without objects; null: it is gone. */
    public function record(string $kind, string $key): mixed;

    /** Puts a record here that another process has written; null: it is gone. */
    public function apply(string $kind, string $key, mixed $record): void;

    /** @return iterable<array{string, string}> kind and key of each record */
    public function all(): iterable;

    /** Drops all records, because they will come again from the log. */
    public function forget(): void;

    /** Drops counts that the parent of this process will write. */
    public function forked(): void;

    /** The request ends: writes what only this process has counted. */
    public function finish(): void;
}
