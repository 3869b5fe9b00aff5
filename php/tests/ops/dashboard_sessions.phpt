--TEST--
larder: ops: the dashboard's tabs of sessions and queues: no id of a session is told, ending and clearing take the token
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/browser.php'; Browser::skip(); if (!extension_loaded('session')) die('skip needs sessions'); ?>
--FILE--
<?php
require __DIR__ . '/../include/browser.php';
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
$folder = ops_folder();
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . " $folder/larder.php");
putenv('LARDER_DASHBOARD=write');
$code = <<<'CODE'
    $hostile = "<img src=x onerror=\"document.title='injected'\">";
    if ($n === 1) {
        ini_set('session.save_handler', 'larder');
        ini_set('session.use_cookies', '0');
        ini_set('session.cache_limiter', '');
        foreach (['/srv/a' => 3, '/srv/ab' => 2, $hostile => 1] as $path => $count) {
            session_save_path($path);
            for ($i = 0; $i < $count; $i++) {
                session_id(sprintf('secret%d0000000000000000000000000', $i) . strlen($path));
                session_start();
                $_SESSION['x'] = str_repeat('x', 1000 * ($i + 1));
                session_write_close();
            }
        }
        foreach (['mail' => 3, $hostile => 2] as $name => $count) {
            for ($i = 0; $i < $count; $i++) Larder\Queue::open($name)->push("body $i");
        }
        Larder\Queue::open('mail')->pop()->bury();
        echo "filled";
    } elseif ($n === 2) {
        $counts = [];
        foreach (['/srv/a', '/srv/ab', $hostile] as $path) {
            ini_set('session.save_path', $path);
            $counts[] = Larder\Sessions::count();
        }
        foreach (['mail', $hostile] as $name) $counts[] = Larder\Queue::open($name)->info()->ready;
        echo implode(' ', $counts);
    } else require 'PROGRAM';
    CODE . "\n# \n";
$serve = server($code, 0, 'larder.volatile_size=8M larder.session_size=8M larder.queue_size=8M');
$address = (new ReflectionFunction($serve))->getStaticVariables()['address'];
/* The server's script contains the word PROGRAM instead of a path. Insert the path now. */
foreach (glob(sys_get_temp_dir() . '/larder-server-' . getmypid() . '-*/index.php') as $script) {
    file_put_contents($script, str_replace('PROGRAM', "$folder/larder.php", file_get_contents($script)));
}
echo $serve(1), ' ', $serve(2), "\n";
$shots = getenv('LARDER_SCREENSHOTS'); /* a folder in which to keep the screenshots */

foreach ([[390, 844, true], [1280, 900, false]] as [$width, $height, $dark]) {
    echo "-- $width px, ", $dark ? 'dark' : 'light', "\n";
    $browser = new Browser($width, $height, $dark);
    $browser->open("http://$address/");
    $browser->until("document.querySelector('#tiles')");
    foreach (['sessions' => 6, 'queues' => 2] as $view => $rows) {
        $browser->click("#tab-$view");
        $browser->until("document.querySelectorAll('#$view tbody tr').length === $rows");
        $shots && $browser->screenshot("$shots/$view-$width-" . ($dark ? 'dark' : 'light') . '.png');
        echo "$view ", json_encode([$browser->value('document.documentElement.scrollWidth <= innerWidth'), $browser->value('document.title'), $browser->value("document.querySelectorAll('main img').length"), str_contains($browser->value('document.documentElement.outerHTML'), 'secret')]), "\n";
    }
}

echo "-- what it shows\n";
$column = fn (string $table, int $n) => $browser->value("[...document.querySelectorAll('#$table tbody tr')].map(r => r.children[$n].innerText).join('; ')");
$browser->click('#tab-sessions');
$browser->until("document.querySelector('#paths')");
echo $column('paths', 0), ': ', $column('paths', 1), "\n";
$sessions = explode('; ', preg_replace('/[0-9a-f]{12}/', 'HASH', $column('sessions', 0)));
sort($sessions); /* sessions of equal size have no fixed order */
echo implode('; ', $sessions), "\n";
$browser->click('#tab-queues');
$browser->until("document.querySelector('#queues')");
echo $column('queues', 0), ': ', $column('queues', 1), ', buried ', $column('queues', 4), "\n";

echo "-- ending and clearing\n";
$row = fn (string $table, string $text) => "[...document.querySelectorAll('#$table tbody tr')].find(r => r.children[0].innerText.startsWith('$text'))";
$press = function (string $table, string $text) use ($browser, $row) {
    $rows = $browser->value("document.querySelectorAll('#$table tbody tr').length");
    $browser->value("void setTimeout(() => {$row($table, $text)}.querySelector('button').click())"); /* this script ends before the page calls confirm(); the driver then accepts */
    return $rows;
};
$press('queues', 'mail');
$browser->until($row('queues', 'mail') . "?.children[1].innerText === '0'");
echo $serve(2), "\n";
$browser->click('#tab-sessions');
$browser->until("document.querySelectorAll('#sessions tbody tr').length === 6");
$press('sessions', '/srv/ab ');
$browser->until("document.querySelectorAll('#sessions tbody tr').length === 5");
echo $serve(2), "\n";
$press('paths', '/srv/a');
$browser->until("document.querySelectorAll('#paths tbody tr').length === 2");
echo $serve(2), ' ', json_encode($browser->value("document.querySelector('#error').hidden")), "\n";

echo "-- without the token, and what nobody gets\n";
$post = fn (array $fields) => file_get_contents("http://$address/", false, stream_context_create(['http' => ['method' => 'POST', 'header' => 'Content-Type: application/x-www-form-urlencoded', 'content' => http_build_query($fields), 'ignore_errors' => true]])) . strtok(substr($http_response_header[0], 9), ' ') . "\n";
echo $post(['api' => 'clear_sessions', 'id' => base64_encode("/srv/ab\0")]), $post(['api' => 'clear_queue', 'id' => base64_encode('mail')]), $serve(2), "\n";
$get = fn (string $query) => strtr(file_get_contents("http://$address/?$query", false, stream_context_create(['http' => ['ignore_errors' => true]])), ["\n" => '']) . ' ' . strtok(substr($http_response_header[0], 9), ' ') . "\n";
$left = json_decode(strtok($get('api=sessions'), "\n") === false ? '' : preg_replace('/ \d+$/', '', trim($get('api=sessions'))), true)['sessions'];
echo count($left), ' ', $get('api=get&store=session&id=' . urlencode($left[0]['id']));
/* Session ids are secret: if the prefix contains a part of a session id, the page finds nothing. */
echo $get('api=entries&store=session&prefix=' . urlencode("/srv/ab\0s")), $get('api=entries&store=queue');
echo count(json_decode(preg_replace('/ \d+$/', '', trim($get('api=entries&store=session&prefix=' . urlencode("/srv/ab\0")))), true)['entries']), "\n";

echo "-- read-only\n";
putenv('LARDER_DASHBOARD=read');
$serve = server(str_replace('PROGRAM', "$folder/larder.php", $code), 0, 'larder.volatile_size=8M larder.session_size=8M larder.queue_size=8M');
$address = (new ReflectionFunction($serve))->getStaticVariables()['address'];
echo $serve(1), "\n";
$browser->open("http://$address/");
$browser->until("document.querySelector('#readonly')");
foreach (['sessions' => 6, 'queues' => 2] as $view => $rows) {
    $browser->click("#tab-$view");
    $browser->until("document.querySelectorAll('#$view tbody tr').length === $rows");
    echo $browser->value("document.querySelectorAll('main button').length"), "\n";
}
$token = str_repeat('ab', 32);
echo file_get_contents("http://$address/", false, stream_context_create(['http' => ['method' => 'POST', 'header' => "Content-Type: application/x-www-form-urlencoded\r\nCookie: larder_token=$token", 'content' => http_build_query(['api' => 'clear_queue', 'id' => base64_encode('mail'), 'token' => $token]), 'ignore_errors' => true]])), $serve(2), "\n";

echo "-- where there are none\n";
$serve = server("require '$folder/larder.php';", 0, 'larder.session_size=0 larder.queue_size=0');
$browser->open('http://' . (new ReflectionFunction($serve))->getStaticVariables()['address'] . '/');
$browser->until("document.querySelector('#tiles')");
echo $browser->value("[...document.querySelectorAll('nav button')].filter(b => b.offsetParent !== null).map(b => b.innerText).join(' ')"), "\n";
--EXPECT--
filled 3 2 1 2 2
-- 390 px, dark
sessions [true,"Larder",0,false]
queues [true,"Larder",0,false]
-- 1280 px, light
sessions [true,"Larder",0,false]
queues [true,"Larder",0,false]
-- what it shows
/srv/a; /srv/ab; <img src=x onerror="document.title='injected'">: 3; 2; 1
/srv/a / HASH; /srv/a / HASH; /srv/a / HASH; /srv/ab / HASH; /srv/ab / HASH; <img src=x onerror="document.title='injected'"> / HASH
mail; <img src=x onerror="document.title='injected'">: 2; 2, buried 1; 0
-- ending and clearing
3 2 1 0 2
3 1 1 0 2
0 1 1 0 2 true
-- without the token, and what nobody gets
The token is missing or not that of this browser: load the page anew.
403
The token is missing or not that of this browser: load the page anew.
403
0 1 1 0 2
2 the content of a session is not shown: only its own site may read it 503
{"entries":[],"more":false,"cut":false,"searched":0} 200
a store of queues has no entries; "larder queues" lists its queues, as does the tab Queues of the dashboard 400
1
-- read-only
filled
0
0
The dashboard is read-only here: LARDER_DASHBOARD is "read".
3 2 1 2 2
-- where there are none
Overview Entries Pools Threads Settings
