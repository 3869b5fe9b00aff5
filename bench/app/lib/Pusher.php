<?php

declare(strict_types=1);

namespace Bench;

/** A queue that a request leaves a message in. The constructor throws Unavailable where something is missing. */
interface Pusher
{
    /** False: there is no room. */
    public function push(string $message): bool;

    /** How many messages wait; null: the queue cannot tell. */
    public function waiting(): ?int;
}
