<?php

/* The application of the demo.
 *
 *   /MODE/package/NAME   what is known about a package, as JSON; MODE: none, apcu or larder
 *   /status              statistics of the caches, as JSON
 *   /kill                a POST kills the worker that handles it, if the servers run with --serve
 *   /?mode=MODE&q=NAME   a page to look at
 */

declare(strict_types=1);

namespace Demo;

use Larder\PinnedCache;
use Larder\VolatileCache;

require __DIR__ . '/PackageFile.php';
require __DIR__ . '/Packages.php';
require __DIR__ . '/Answer.php';

/** @param array<string, mixed> $answer */
function respond(array $answer, int $status = 200): void
{
    $text = Answer::text($answer);
    http_response_code($status);
    header('Content-Type: application/json');
    header('Content-Length: ' . strlen($text));
    echo $text;
}

/** @return array<string, mixed> */
function cache_status(): array
{
    $info = VolatileCache::info();
    $entry = VolatileCache::keyInfo('packages');
    return [
        'available' => $info->available,
        'reason' => $info->failure_reason,
        'loads' => PinnedCache::get('loads', 0),
        'bytes' => $entry?->size,
        'evictions' => $info->evictions,
        'copies' => $info->copies,
        'recoveries' => $info->recoveries,
        'hits' => $info->hits,
        'misses' => $info->misses,
        'memory' => $info->used_memory,
        'kills' => PinnedCache::get('kills', 0),
        'apcu' => apcu_exists('packages'),
    ];
}

$file = $_SERVER['DEMO_PACKAGES'];
$path = rawurldecode(strtok($_SERVER['REQUEST_URI'], '?'));

if (preg_match('~^/(none|apcu|larder)/package/([^/]+)$~', $path, $part) === 1) {
    $packages = Packages::load($part[1], $file);
    isset($packages[$part[2]])
        ? respond(Answer::about($packages, $part[2]))
        : respond(['error' => 'there is no such package'], 404);
} elseif ($path === '/status') {
    respond(cache_status());
} elseif ($path === '/kill' && isset($_SERVER['DEMO_KILL']) && $_SERVER['REQUEST_METHOD'] === 'POST' && ($_SERVER['HTTP_SEC_FETCH_SITE'] ?? '') === 'same-origin') {
    PinnedCache::increment('kills');
    posix_kill(getmypid(), SIGKILL);
} elseif ($path === '/') {
    require __DIR__ . '/page.php';
} else {
    respond(['error' => 'there is no such page'], 404);
}
