<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\Messenger\Envelope;
use Symfony\Component\Messenger\Transport\Receiver\KeepaliveReceiverInterface;

/** A LarderTransport for Messenger 7.2 and later, which calls keepalive() while a worker is handling a message. */
final class LarderKeepaliveTransport extends LarderTransport implements KeepaliveReceiverInterface
{
    public function keepalive(Envelope $envelope, ?int $seconds = null): void
    {
        $this->received($envelope)->touch($this->timeToRun > 0 ? max($this->timeToRun, $seconds ?? 0) : 0);
    }
}
