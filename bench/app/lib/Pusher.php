<?php

declare(strict_types=1);

namespace Bench;

/** A queue that a request leaves a message in. Its NEEDS is the class that an extension or a library brings, MISSING what is said without. */
interface Pusher
{
    /** False: there is no room. */
    public function push(string $message): bool;

    /** How many messages wait; null: the queue cannot tell. */
    public function waiting(): ?int;
}
