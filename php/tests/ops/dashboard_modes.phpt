--TEST--
larder: ops: the dashboard is off unless it is switched on, read-only unless it may write, and quick with a million entries
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/browser.php'; Browser::skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/browser.php';
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
$folder = ops_folder();
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . " $folder/larder.php");
$address = fn (callable $serve) => 'http://' . (new ReflectionFunction($serve))->getStaticVariables()['address'] . '/';
$post = fn (string $url) => file_get_contents($url, false, stream_context_create(['http' => ['method' => 'POST', 'header' => "Content-Type: application/x-www-form-urlencoded\r\nCookie: larder_token=" . str_repeat('ab', 32), 'content' => 'api=clear&token=' . str_repeat('ab', 32), 'ignore_errors' => true]])) . strtok(substr($http_response_header[0], 9), ' ') . "\n";
$get = fn (string $url) => file_get_contents($url, false, stream_context_create(['http' => ['ignore_errors' => true]])) . strtok(substr($http_response_header[0], 9), ' ') . "\n";

putenv('LARDER_DASHBOARD');
echo $get($off = $address(server("require '$folder/larder.php';"))), $get("$off?metrics"), $get("$off?api=stats"), $post($off);

putenv('LARDER_DASHBOARD=on');
echo strstr($get($address(server("require '$folder/larder.php';"))), '.', true), "\n";
putenv('LARDER_DASHBOARD=read');
$serve = server("if (\$n === 1) { for (\$i = 0; \$i < 1000000; \$i++) VolatileCache::set(\"key:\$i\", \$i % 9 ? \$i : [\$i]); echo VolatileCache::info()->entry_count, \"\\n\"; } else require '$folder/larder.php';", 0, 'larder.volatile_size=256M memory_limit=32M max_execution_time=600');
$url = $address($serve);
echo "-- read-only\n", $serve(1), $post($url);
$browser = new Browser(1280, 900);
$browser->open($url);
$browser->until("document.querySelector('#readonly')");
echo $browser->value("document.querySelectorAll('#clear, .danger').length"), ' ', json_encode(str_contains($browser->value('document.documentElement.outerHTML'), 'data-token=""')), "\n";
$browser->click('#tab-entries');
$browser->until("document.querySelectorAll('#entries tbody tr').length === 50");
$browser->click('#entries td button');
$browser->until("document.querySelector('#value')");
echo $browser->value("document.querySelectorAll('#delete').length"), ' ', substr($browser->value("document.querySelector('#value').innerText"), 0, 5), "\n";
$shots = getenv('LARDER_SCREENSHOTS');
$shots && $browser->screenshot("$shots/million.png");
$browser->value("void document.querySelector('#entry').close()");
$browser->click('#tab-pools');
$browser->until("document.querySelector('#pools td:nth-child(2)')?.innerText === '1,000,000'");
echo "a million\n";
--EXPECT--
The dashboard is off. End this server, and start it with the variable: LARDER_DASHBOARD=read php -S 127.0.0.1:8088 larder.php (or write). With sudo: sudo -u www-data LARDER_DASHBOARD=read php -S ... Let only your own people reach it.
403
The dashboard is off. End this server, and start it with the variable: LARDER_DASHBOARD=read php -S 127.0.0.1:8088 larder.php (or write). With sudo: sudo -u www-data LARDER_DASHBOARD=read php -S ... Let only your own people reach it.
403
The dashboard is off. End this server, and start it with the variable: LARDER_DASHBOARD=read php -S 127.0.0.1:8088 larder.php (or write). With sudo: sudo -u www-data LARDER_DASHBOARD=read php -S ... Let only your own people reach it.
403
The dashboard is off. End this server, and start it with the variable: LARDER_DASHBOARD=read php -S 127.0.0.1:8088 larder.php (or write). With sudo: sudo -u www-data LARDER_DASHBOARD=read php -S ... Let only your own people reach it.
403
The dashboard is off, because LARDER_DASHBOARD is neither read nor write
-- read-only
1000000
The dashboard is read-only here: LARDER_DASHBOARD is "read".
403
0 true
0 Array
a million
