<?php

/* The application of the demonstration. A page makes 20 reads: through the tier, directly from the server, or only from this host's
 * memory. */

declare(strict_types=1);

use Larder\Cache\SimpleCache;
use Larder\Cache\Tiered\PhpRedisServer;
use Larder\Cache\Tiered\TieredStore;

require $_SERVER['AUTOLOAD'];
$store = new TieredStore(PhpRedisServer::at('10.77.0.1', 6379, 0.3), 'test', 'test:', secret: 'of all hosts of the demo');
$cache = new SimpleCache($store);
switch (strtok($_SERVER['REQUEST_URI'], '?')) {
    case '/page':
        for ($i = 0; $i < 20; $i++) {
            $id = mt_rand(0, 999);
            $value = $cache->get("entry $id");
            if (!is_array($value) || $value['id'] !== $id) {
                http_response_code(500);
                exit("entry $id is wrong");
            }
        }
        exit('ok');
    case '/redis':
        $redis = new Redis();
        $redis->pconnect('10.77.0.1', 6379, 0.3);
        for ($i = 0; $i < 20; $i++) {
            $id = mt_rand(0, 999);
            $value = unserialize(substr((string) $redis->get("test:entry $id"), 1));
            if (!is_array($value) || $value['id'] !== $id) {
                http_response_code(500);
                exit("entry $id is wrong");
            }
        }
        exit('ok');
    case '/plain':
        $plain = new SimpleCache('plain');
        for ($i = 0; $i < 20; $i++) {
            $id = mt_rand(0, 999);
            $value = $plain->get("entry $id");
            if ($value === null) { // the value is not in this host's memory yet
                $plain->set("entry $id", $value = $cache->get("entry $id"));
            }
            if (!is_array($value) || $value['id'] !== $id) {
                http_response_code(500);
                exit("entry $id is wrong");
            }
        }
        exit('ok');
    case '/set':
        exit(json_encode($cache->set((string) $_GET['k'], (int) $_GET['v'])));
    case '/get':
        exit(json_encode([$cache->get((string) $_GET['k']), $store->isLocal()]));
    default:
        http_response_code(404);
}
