<?php

/* Takes the messages of /queue/larder until SIGTERM. With the larder.path and larder.scope of the web server:
 *   php -d larder.path=... -d larder.scope=... larderpopper.php */

declare(strict_types=1);

require dirname(__DIR__) . '/lib/autoload.php';

$queue = Larder\Queue::open('bench');
Bench\Consumer::run(function () use ($queue): ?string {
    $message = $queue->pop(0.2);
    if ($message === null) {
        return null;
    }
    $text = $message->body;
    return $message->ack() ? $text : throw new RuntimeException('a message was not ours');
});
