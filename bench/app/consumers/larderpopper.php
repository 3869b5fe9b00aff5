<?php

/* Takes the messages of /queue/larder in batches until SIGTERM. Needs the settings of the web server: php -d larder.path=... -d
 * larder.scope=... larderpopper.php */

declare(strict_types=1);

require dirname(__DIR__) . '/lib/autoload.php';

$queue = Larder\Queue::open('bench');
Bench\Consumer::run(function () use ($queue): array {
    $texts = [];
    foreach ($queue->popMany(Bench\Consumer::BATCH, 0.2) as $message) {
        $texts[] = $message->body;
        $message->ack() || throw new RuntimeException('a message was not ours');
    }
    return $texts;
}, true);
