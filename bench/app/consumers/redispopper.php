<?php

/* Takes the messages of /queue/redis and /queue/predis in batches until SIGTERM. LARDER_BENCH_SOCKETS: the folder of redis-server.sock. */

declare(strict_types=1);

require dirname(__DIR__) . '/lib/autoload.php';

$redis = new Redis();
$redis->connect(...Bench\Place::server('redis-server', 6379));
Bench\Consumer::run(function () use ($redis): array {
    $first = $redis->brPop(['bench'], 1);
    if (!is_array($first) || !isset($first[1])) {
        return [];
    }
    $more = $redis->rawCommand('RPOP', 'bench', (string) (Bench\Consumer::BATCH - 1)) ?: []; // rPop() takes only one message
    return [$first[1], ...$more];
}, true);
