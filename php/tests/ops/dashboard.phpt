--TEST--
larder: ops: the dashboard in a browser: each view, phone and desktop, dark, hostile keys, deleting and clearing
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
putenv('LARDER_DASHBOARD=write');
$serve = server(<<<'CODE'
    if ($n === 1) {
        for ($i = 0; $i < 40; $i++) VolatileCache::set("item:$i", str_repeat('x', 100 * $i), $i % 2 ? 1000 : 0);
        VolatileCache::set("<img src=x onerror=\"document.title='injected'\">'`\${1}\"", "<script>document.title='injected'</script>");
        VolatileCache::pool("<b>shop</b>")->set('a', 1);
        for ($i = 0; $i < 5; $i++) VolatileCache::get('item:7');
        VolatileCache::get('none');
        echo "filled";
    } elseif ($n === 2) {
        echo json_encode([VolatileCache::has('item:39'), count([...VolatileCache::keys()])]);
    } else require 'PROGRAM';
    CODE . "\n# \n", 0, 'larder.volatile_size=8M');
$address = (new ReflectionFunction($serve))->getStaticVariables()['address'];
/* The server's script contains the word PROGRAM instead of a path. Insert the path now. */
foreach (glob(sys_get_temp_dir() . '/larder-server-' . getmypid() . '-*/index.php') as $script) {
    file_put_contents($script, str_replace('PROGRAM', "$folder/larder.php", file_get_contents($script)));
}
echo $serve(1), "\n";
$shots = getenv('LARDER_SCREENSHOTS'); /* a folder in which to keep the screenshots */

foreach ([[1280, 900, false], [390, 844, true], [390, 844, false], [1280, 900, true]] as [$width, $height, $dark]) {
    echo "-- $width px, ", $dark ? 'dark' : 'light', "\n";
    $browser = new Browser($width, $height, $dark);
    $browser->open("http://$address/");
    foreach (['overview' => '#tiles', 'entries' => '#entries tbody tr', 'pools' => '#pools tbody tr', 'threads' => '#threads tbody tr'] as $view => $what) {
        $browser->click("#tab-$view");
        $browser->until("document.querySelector('$what')");
        $shots && $browser->screenshot("$shots/$view-$width-" . ($dark ? 'dark' : 'light') . '.png');
        /* No element is wider than the page. Only tables may scroll, in a box of their own. */
        echo "$view ", json_encode([$browser->value('document.documentElement.scrollWidth <= innerWidth'), $browser->value('document.title')]), "\n";
    }
    echo 'background ', $browser->value('getComputedStyle(document.body).backgroundColor'), "\n";
    $browser->close();
}

echo "-- what it shows\n";
$browser = new Browser(1280, 900);
$browser->open("http://$address/");
$browser->until("document.querySelector('#tiles')");
echo str_replace("\u{a0}", ' ', $browser->value("[...document.querySelectorAll('#tiles .tile')].slice(1, 3).map(t => t.innerText.replace(/\\n/g, ' ')).join('; ')")), "\n";
$browser->click('#tab-entries');
$browser->until("document.querySelectorAll('#entries tbody tr').length > 40");
echo $browser->value("document.querySelector('#entries td').innerText"), "\n";
echo json_encode($browser->value("[...document.querySelectorAll('#entries td')].some(td => td.innerText.includes('<img src=x onerror'))")), ' ', $browser->value("document.querySelectorAll('main img, main script').length"), "\n";
$browser->type('input[name=prefix]', '\x3cimg'); /* the page shows "<" in a key as \x3c */
$browser->click('form button');
$browser->until("document.querySelectorAll('#entries tbody tr').length === 1");
$browser->click('#entries td button');
$browser->until("document.querySelector('#value')");
$shots && $browser->screenshot("$shots/entry.png");
echo $browser->value("document.querySelector('#value').innerText"), ' ', $browser->value('document.title'), "\n";

echo "-- deleting and clearing\n";
$browser->click('#delete');
$browser->until("document.querySelectorAll('#entries tbody tr').length === 0");
$browser->value("void (document.querySelector('input[name=prefix]').value = 'item:39')");
$browser->click('form button');
$browser->until("document.querySelectorAll('#entries tbody tr').length === 1");
echo $serve(2), "\n";
$browser->click('#entries td button');
$browser->until("document.querySelector('#entry').open"); /* the element is always in the page; it is closed at first */
$browser->click('#delete');
$browser->until("document.querySelectorAll('#entries tbody tr').length === 0");
echo $serve(2), "\n";
$browser->click('#tab-overview');
$browser->click('#clear'); /* the browser confirms the question of the page */
$browser->until("document.querySelector('#tiles .tile:nth-child(3) b').innerText === '0'");
echo $serve(2), ' ', json_encode($browser->value("document.querySelector('#error').hidden")), "\n";

echo "-- without the token\n";
$post = fn (array $fields, string $headers = '') => file_get_contents("http://$address/", false, stream_context_create(['http' => ['method' => 'POST', 'header' => "Content-Type: application/x-www-form-urlencoded\r\n$headers", 'content' => http_build_query($fields), 'ignore_errors' => true]])) . strtok(substr($http_response_header[0], 9), ' ') . "\n";
$token = str_repeat('ab', 32);
echo $serve(1), "\n", $post(['api' => 'clear']), $post(['api' => 'clear', 'token' => $token]), $post(['api' => 'clear', 'token' => str_repeat('cd', 32)], "Cookie: larder_token=$token\r\n");
echo $post(['api' => 'clear', 'token' => $token], "Cookie: larder_token=$token\r\nSec-Fetch-Site: cross-site\r\n"), $post(['api' => ['clear'], 'token' => $token], "Cookie: larder_token=$token\r\n"), $post(['api' => 'clear', 'prefix' => ['item'], 'token' => $token], "Cookie: larder_token=$token\r\n"), $serve(2), "\n";
echo $post(['api' => 'delete', 'id' => '!', 'token' => $token], "Cookie: larder_token=$token\r\n");
foreach (['api=what', 'api=entries&store=x', 'api=entries&order=x', 'api=get&id=', 'api[]=x'] as $query) {
    echo @file_get_contents("http://$address/?$query", false, stream_context_create(['http' => ['ignore_errors' => true]])) === false ? 'false' : strtok(substr($http_response_header[0], 9), ' '), "\n";
}
--EXPECTF--
filled
-- 1280 px, light
overview [true,"Larder"]
entries [true,"Larder"]
pools [true,"Larder"]
threads [true,"Larder"]
background rgb(255, 255, 255)
-- 390 px, dark
overview [true,"Larder"]
entries [true,"Larder"]
pools [true,"Larder"]
threads [true,"Larder"]
background rgb(16, 21, 27)
-- 390 px, light
overview [true,"Larder"]
entries [true,"Larder"]
pools [true,"Larder"]
threads [true,"Larder"]
background rgb(255, 255, 255)
-- 1280 px, dark
overview [true,"Larder"]
entries [true,"Larder"]
pools [true,"Larder"]
threads [true,"Larder"]
background rgb(16, 21, 27)
-- what it shows
Memory %s of 8.0%sMiB; Entries %d %d writes
item:39
true 0
<script>document.title='injected'</script> Larder
-- deleting and clearing
[true,40]
[false,39]
[false,0] true
-- without the token
filled
The token is missing or not that of this browser: load the page anew.
403
The token is missing or not that of this browser: load the page anew.
403
The token is missing or not that of this browser: load the page anew.
403
The request comes from another site.
403
api: one text is expected
400
prefix: one text is expected
400
[true,41]
id: the key in base64 is expected
400
400
400
400
400
400
