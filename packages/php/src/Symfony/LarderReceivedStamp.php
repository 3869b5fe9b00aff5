<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Larder\Message;
use Symfony\Component\Messenger\Stamp\NonSendableStampInterface;

/** Records which message of which queue an envelope was made from. */
final class LarderReceivedStamp implements NonSendableStampInterface
{
    public function __construct(public readonly Message $message, public readonly string $queue) {}
}
