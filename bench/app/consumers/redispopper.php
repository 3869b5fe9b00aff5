<?php

/* Takes the messages of /queue/redis and /queue/predis until SIGTERM. LARDER_BENCH_SOCKETS: the folder of redis-server.sock. */

declare(strict_types=1);

require dirname(__DIR__) . '/lib/autoload.php';

$redis = new Redis();
$redis->connect(...Bench\Place::server('redis-server', 6379));
Bench\Consumer::run(function () use ($redis): array {
    $message = $redis->brPop(['bench'], 1);
    return is_array($message) && isset($message[1]) ? [$message[1]] : [];
});
