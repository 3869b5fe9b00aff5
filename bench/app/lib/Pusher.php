<?php

declare(strict_types=1);

namespace Bench;

/** A queue to which a request pushes a message. NEEDS names a class of the extension or library that the queue needs. MISSING is the error
 * message if this class does not exist. */
interface Pusher
{
    /** Returns false if the queue is full. */
    public function push(string $message): bool;

    /** Returns the number of waiting messages, or null if the queue cannot tell. */
    public function waiting(): ?int;
}
