<?php

declare(strict_types=1);

namespace Bench;

/** A queue to which a request pushes a message. NEEDS: a class of the extension or library that it needs. MISSING: the message if that
 * class is missing. */
interface Pusher
{
    /** Returns false if there is no room. */
    public function push(string $message): bool;

    /** Returns the number of waiting messages; null: the queue does not know it. */
    public function waiting(): ?int;
}
