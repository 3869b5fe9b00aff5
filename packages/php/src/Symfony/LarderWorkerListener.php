<?php

declare(strict_types=1);

namespace Larder\Symfony;

use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\Messenger\Event\WorkerMessageFailedEvent;
use Symfony\Component\Messenger\Event\WorkerMessageHandledEvent;
use Symfony\Component\Messenger\Event\WorkerMessageReceivedEvent;

/** Calls Larder\beginRequest() before each message, and Larder\endRequest() after it. */
final class LarderWorkerListener implements EventSubscriberInterface
{
    private const FIRST = 1024;
    private const LAST = -1024;

    public static function getSubscribedEvents(): array
    {
        return [
            WorkerMessageReceivedEvent::class => ['begin', self::FIRST],
            WorkerMessageHandledEvent::class => ['end', self::LAST],
            WorkerMessageFailedEvent::class => ['end', self::LAST],
        ];
    }

    public function begin(): void
    {
        \Larder\beginRequest();
    }

    public function end(): void
    {
        \Larder\endRequest();
    }
}
