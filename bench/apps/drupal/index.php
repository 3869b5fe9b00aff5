<?php

declare(strict_types=1);

/* Serves a page of the Drupal in BENCH_DRUPAL, or "ready" for /status. */

use Drupal\Core\DrupalKernel;
use Symfony\Component\HttpFoundation\Request;

if ($_SERVER['REQUEST_URI'] === '/status') {
    exit('ready');
}
$_SERVER['BENCH_CACHE'] === 'redis' && require __DIR__ . '/redis-apcu.php';
$root = $_SERVER['BENCH_DRUPAL'];
chdir($root);
$loader = require "$root/autoload.php";
$kernel = new DrupalKernel('prod', $loader, true, $root);
$request = Request::createFromGlobals();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
