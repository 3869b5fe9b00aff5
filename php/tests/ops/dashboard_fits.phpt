--TEST--
larder: ops: nothing on the dashboard wraps within a word, is cut off or sticks out: phone and desktop, light and dark, empty and full; paging, patterns, kick, settings, charts
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
$fill = <<<'CODE'
    if ($n === 1) {
        for ($i = 0; $i < 120; $i++) VolatileCache::set(sprintf('item:%03d', $i), str_repeat('x', 100 + $i), 100000);
        VolatileCache::set(str_repeat('a-long-key/', 30), [1, 2, [3]]);
        VolatileCache::pool('shop')->set('basket', new ArrayObject([1]));
        ini_set('session.save_handler', 'larder');
        ini_set('session.use_cookies', '0');
        ini_set('session.cache_limiter', '');
        session_save_path('/srv/www/example.org/sessions');
        session_start();
        $_SESSION['x'] = 1;
        session_write_close();
        $queue = Larder\Queue::open('mail');
        for ($i = 0; $i < 3; $i++) $queue->push($i);
        $queue->pop()->bury();
        Larder\Queue::open('a.queue.with.a.long.name.of.a.service.and.its.team')->push(1);
        for ($i = 0; $i < 5000; $i++) PinnedCache::set("p$i", str_repeat('p', 300));
        echo 'filled';
    } else require 'PROGRAM';
    CODE;
$serve = fn (): callable => server(str_replace('PROGRAM', "$folder/larder.php", $GLOBALS['fill']), 0, 'larder.volatile_size=8M larder.pinned_size=1M larder.session_size=8M larder.queue_size=8M');
$address = fn (callable $server): string => (new ReflectionFunction($server))->getStaticVariables()['address'];
$shots = getenv('LARDER_SCREENSHOTS'); /* a folder in which to keep the screenshots */
$empty = $serve();
$full = $serve();
echo $full(1), "\n";

/* Find elements that are narrower than their text, controls of more than one line, and labels outside of their chart. */
$wrong = <<<'JS'
    (() => {
        const seen = e => e.offsetParent !== null || e.ownerSVGElement, name = e => e.tagName + ' ' + (e.id || e.className || '') + ' "' + (e.textContent || '').slice(0, 40) + '"';
        const found = document.documentElement.scrollWidth > innerWidth ? ['the page: ' + document.documentElement.scrollWidth] : [];
        for (const e of document.querySelectorAll('header *, main *')) {
            if (!seen(e) || e.ownerSVGElement || e.tagName === 'OPTION') continue;
            const box = e.getBoundingClientRect();
            if (e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1) found.push('cut off: ' + name(e));
            if (box.width > 0 && (box.left < -1 || box.right > innerWidth + 1)) found.push('outside: ' + name(e));
            if ((e.matches('nav button, form button, .danger, .kick, .pages button, .tile b, h1, h2, figcaption span')) && box.height > 1.9 * parseFloat(getComputedStyle(e).lineHeight) + 14) found.push('wraps: ' + name(e));
        }
        for (const t of document.querySelectorAll('svg text')) {
            const box = t.getBoundingClientRect(), outer = t.ownerSVGElement.getBoundingClientRect();
            if (box.left < outer.left - 1 || box.right > outer.right + 1 || box.top < outer.top - 1 || box.bottom > outer.bottom + 1) found.push('outside of the chart: ' + name(t));
        }
        return found;
    })()
    JS;
foreach ([[390, 844, false], [390, 844, true], [1280, 900, false], [1280, 900, true]] as [$width, $height, $dark]) {
    $browser = new Browser($width, $height, $dark);
    foreach (['empty' => $empty, 'full' => $full] as $state => $server) {
        $browser->open('http://' . $address($server) . '/');
        foreach (['overview' => '#charts svg', 'entries' => '#entries', 'pools' => '#pools', 'sessions' => '#sessions', 'queues' => '#queues', 'threads' => '#threads', 'settings' => '#settings tbody tr'] as $view => $what) {
            $browser->click("#tab-$view");
            $browser->until("document.querySelector('$what')");
            $shots && $browser->screenshot("$shots/$state-$view-$width-" . ($dark ? 'dark' : 'light') . '.png');
            foreach ([...$browser->value($wrong), ...array_filter([$browser->value("document.querySelector('#error').textContent")])] as $line) {
                echo "$state $view $width ", $dark ? 'dark' : 'light', ": $line\n";
            }
        }
    }
    echo "$width ", $dark ? 'dark' : 'light', "\n";
    $width === 1280 && $dark || $browser->close();
}

echo "-- a control: a word that is too wide is found\n";
$browser->value("void document.querySelector('h1').replaceChildren('x'.repeat(3000))");
echo count($browser->value($wrong)) > 0 ? "found\n" : "not found\n";

echo "-- a tab that is clicked before the first answer\n";
$browser->open('http://' . $address($full) . '/');
$browser->until("document.querySelector('#charts svg')");
$browser->value("void (last = null, document.querySelector('#view').replaceChildren(), document.querySelector('#tab-overview').click())");
$browser->until("document.querySelector('#charts svg') || !document.querySelector('#error').hidden");
echo $browser->value("document.querySelector('#error').textContent || 'no error'"), "\n";

echo "-- charts have axes, a legend and a time range\n";
$browser->open('http://' . $address($full) . '/');
$browser->until("document.querySelector('#charts svg polyline[points]')?.getAttribute('points').length >= 0 && document.querySelector('#charts').textContent.includes('-5 min')");
$browser->value("void (document.querySelector('#range').value = '7200', document.querySelector('#range').dispatchEvent(new Event('change')))");
$browser->until("document.querySelector('#charts').textContent.includes('-120 min')");
$browser->until("[...document.querySelectorAll('#charts figure:nth-child(3) polyline')].every(l => /\\d/.test(l.getAttribute('points')))"); /* the page has fetched the statistics twice */
echo $browser->value("[...document.querySelectorAll('#charts figcaption')].map(f => [...f.children].map(c => c.textContent).join(', ')).join('; ')"), "\n";
echo $browser->value("document.querySelector('#charts figure:nth-child(3) svg').textContent.includes('8.0 MiB')") ? "scaled\n" : "not scaled\n";

echo "-- pages and patterns\n";
$browser->click('#tab-entries');
$browser->until("document.querySelector('#entries')");
$browser->value("void (document.querySelector('select[name=order]').value = 'key')");
$show = function (string $search, int $rows) use ($browser): string {
    $browser->value("void (document.querySelector('input[name=prefix]').value = '$search', document.querySelector('#entries').id = 'old')");
    $browser->click('form button');
    $browser->until("document.querySelector('#entries') && document.querySelectorAll('#entries tbody tr').length === $rows ");
    return $browser->value("document.querySelector('#entries td')?.innerText") . ' ' . strtok($browser->value("document.querySelector('.note').innerText"), 'U');
};
echo $show('item:', 50), "\n";
$browser->click('#next');
$browser->until("document.querySelector('.note').innerText.startsWith('Entries 51')");
$browser->click('#next');
$browser->until("document.querySelectorAll('#entries tbody tr').length === 20");
echo json_encode([$browser->value("document.querySelector('#next').disabled"), $browser->value("document.querySelector('#previous').disabled")]), "\n";
echo $show('*m:?17', 2), "\n", $show('none*', 0), "\n", $show('item:017*', 1), "\n";

echo "-- kick, age, settings\n";
$browser->click('#tab-queues');
$browser->until("document.querySelector('.kick')");
$cells = "[...document.querySelectorAll('#queues tbody tr')].find(r => r.children[0].innerText === 'mail')";
echo $browser->value("$cells.children[4].innerText"), ' ', preg_match('/^[\d.]+ (s|min)$/', $browser->value("$cells.children[5].innerText")), "\n";
$browser->click('.kick');
$browser->until("$cells?.children[4].innerText === '0'");
echo $browser->value("$cells.children[1].innerText"), ' ', $browser->value("document.querySelectorAll('.kick').length"), "\n";
$browser->click('#tab-settings');
$browser->until("document.querySelector('#settings')");
echo $browser->value("[...document.querySelectorAll('#settings tr')].find(r => r.children[0].innerText === 'larder.queue_size').children[1].innerText"), "\n";

echo "-- full, and of messages\n";
$tiles = function (string $store) use ($browser): string {
    $browser->value("void (document.querySelector('#view').replaceChildren(), document.querySelector('#store').value = '$store', document.querySelector('#store').dispatchEvent(new Event('change')))");
    $browser->until("document.querySelector('#tiles')");
    return $browser->value("[...document.querySelectorAll('.tile')].map(t => t.children[0].innerText + (/Evicted|Memory/.test(t.innerText) ? ' ' + t.children[1].innerText + ' ' + t.children[2].innerText : '')).map(t => t.replace(/\\s+/g, ' ').trim()).join(', ')");
};
$browser->click('#tab-overview');
echo $tiles('pinned'), "\n", $tiles('queue'), ' ', $browser->value("document.querySelectorAll('#clear').length"), "\n";
$browser->click('#tab-pools');
$browser->until("!document.querySelector('#error').hidden");
echo $browser->value("document.querySelector('#error').textContent"), '; ', $browser->value("document.querySelector('#view').innerText"), "\n";
$browser->value("void (document.querySelector('#store').value = 'pinned', document.querySelector('#store').dispatchEvent(new Event('change')))");
$browser->until("document.querySelector('#pools')");
echo $browser->value("document.querySelector('#pools td:nth-child(4)').innerText"), "\n";
?>
--EXPECT--
filled
390 light
390 dark
1280 light
1280 dark
-- a control: a word that is too wide is found
found
-- a tab that is clicked before the first answer
no error
-- charts have axes, a legend and a time range
Hit rate, hits of reads; Reads and writes per second, hits, misses, writes; Memory, used, claimed; Evicted, expired, refused per second, evicted, refused, expired
scaled
-- pages and patterns
item:000 Entries 1 to 50. 
[true,false]
item:017 Entries 1 to 2. The pattern was compared with the first 122 entries of this order. 
 No entries. 
item:017 Entry 1. The pattern was compared with one entry. 
-- kick, age, settings
1 1
3 0
8M
-- full, and of messages
Hit rate, Memory 100.0 % 1.0 MiB of 1.0 MiB, Entries, Evicted 0, Expired, Refused writes, Deaths survived, Threads, Copies, Uptime
Memory 0.0 % 512 B of 8.0 MiB, Refused writes, Deaths survived, Threads, Uptime 0
a store of queues has no entries; "larder queues" lists its queues, as does the tab Queues of the dashboard; 
100.0 %
