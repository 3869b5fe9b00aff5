<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Message;
use Symfony\Component\Messenger\Stamp\NonSendableStampInterface;

/** The message in the queue from which an envelope was made, and the name of the queue. */
final class LarderReceivedStamp implements NonSendableStampInterface
{
    public function __construct(public readonly Message $message, public readonly string $queue) {}
}
