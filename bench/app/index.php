<?php

/* The benchmark application: each request does one operation of one cache. App describes the paths. */

declare(strict_types=1);

namespace Bench;

require __DIR__ . '/lib/autoload.php';

[$status, $text] = App::answer(strtok($_SERVER['REQUEST_URI'], '?'), $_SERVER['QUERY_STRING'] ?? '');
http_response_code($status);
header('Content-Type: text/plain; charset=utf-8');
header('Content-Length: ' . strlen($text));
echo $text;
