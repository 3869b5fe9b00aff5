<?php

/* index.php - one request with a session: starts it, checks its content, changes it and writes it.
 *
 *   /HANDLER/one      one session for all requests; the answer is its counter, which must differ in each request
 *   /HANDLER/random   one of some thousands; the answer is "ok"
 *   /status           for a client that waits for the servers
 *
 * HANDLERS of the server's parameters is JSON: names, each with the handler and the save path. */

declare(strict_types=1);

require __DIR__ . '/visit.php';

[, $name, $which] = [...explode('/', $_SERVER['REQUEST_URI']), '', ''];
if ($name === 'status') {
    echo json_encode(['opcache' => extension_loaded('Zend OPcache'), 'jit' => ini_get('opcache.jit')]);
    return;
}
[$handler, $path] = json_decode($_SERVER['HANDLERS'], true)[$name];
use_sessions($handler, $path);
$count = visit($which === 'one' ? 'one' : 'r' . mt_rand(0, 4999));
echo $which === 'one' ? $count : 'ok';
