<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Message;
use Symfony\Component\Messenger\Stamp\NonSendableStampInterface;

/** Marks an envelope that was made from a received message. Contains the message and the name of its queue. */
final class LarderReceivedStamp implements NonSendableStampInterface
{
    public function __construct(public readonly Message $message, public readonly string $queue) {}
}
