--TEST--
larder: session: a handler that calls throttle() when the request ends leaves nothing to the next request
--EXTENSIONS--
larder
session
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$get = server(<<<'PHP'
error_reporting(E_ALL & ~E_DEPRECATED); /* PHP 8.4 deprecates session_set_save_handler() without an object */
$yes = fn () => true;
session_set_save_handler($yes, $yes, fn () => '', function () {
    for ($i = 0; $i < 2; $i++) file_put_contents(__DIR__ . '/written', VolatileCache::throttle('end', 1000, 3600)->remaining);
    return true;
}, $yes, $yes);
session_id('abc');
session_start();
$_SESSION['n'] = $n;
$texts = array_map(fn ($i) => str_repeat(chr(65 + $i), 80) . $n, range(0, 40)); /* these strings reuse the memory that was freed */
$answers = array_map(fn ($i) => VolatileCache::throttle('k', 1000, 3600), range(0, 9));
foreach ($texts as $i => $text) if ($text !== str_repeat(chr(65 + $i), 80) . $n) echo "text $i differs\n";
echo count(array_unique(array_map('spl_object_id', $answers))), ' ', end($answers)->remaining, ' ', @file_get_contents(__DIR__ . '/written') ?: 'nothing', "\n";
PHP, 0, 'session.use_cookies=0 session.cache_limiter=');
for ($n = 0; $n < 4; $n++) echo $get($n) ?: "died\n";
?>
--EXPECT--
10 990 nothing
10 980 998
10 970 996
10 960 994
