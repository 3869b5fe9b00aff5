--TEST--
larder: ops: the dashboard shows the last search although an earlier answer comes later, and an error until the visitor's next success
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
putenv('LARDER_DASHBOARD=read');
$serve = server(<<<'CODE'
    if ($n === 1) {
        VolatileCache::set('slow', 1);
        VolatileCache::set('fast', 1);
        echo "filled";
    } else require 'PROGRAM';
    CODE . "\n# \n", 0, 'larder.volatile_size=8M');
$address = (new ReflectionFunction($serve))->getStaticVariables()['address'];
foreach (glob(sys_get_temp_dir() . '/larder-server-' . getmypid() . '-*/index.php') as $script) {
    file_put_contents($script, str_replace('PROGRAM', "$folder/larder.php", file_get_contents($script)));
}
echo $serve(1), "\n";
$browser = new Browser(1280, 900);
$browser->open("http://$address/");
$browser->click('#tab-entries');
$browser->until("document.querySelectorAll('#entries tbody tr').length === 2");
$browser->value(<<<'JS'
    (() => {
        const real = window.fetch;
        window.ticks = 0;
        window.fetch = async (url, options) => {
            const held = url.includes('prefix=slow'), broken = window.broken && url.includes('api=get');
            if (broken) return new Response('The entry cannot be shown.', {status: 500});
            if (held) await new Promise(go => { window.release = go; });
            const answer = await real(url, options), json = answer.json.bind(answer);
            answer.json = () => json().then(value => {
                if (held) setTimeout(() => { window.late = true; });
                if (url.includes('api=stats')) setTimeout(() => { window.ticks++; });
                return value;
            });
            return answer;
        };
    })()
    JS);
$search = function (string $prefix) use ($browser) {
    $browser->value("void (document.querySelector('input[name=prefix]').value = '$prefix')");
    $browser->click('form button');
};
$keys = "[...document.querySelectorAll('#entries tbody tr td:first-child')].map(td => td.innerText).join(' ')";

$search('slow');
$browser->until('window.release');
$search('fast');
$browser->until("$keys === 'fast'");
$browser->value('void window.release()');
$browser->until('window.late');
echo 'after the late answer: ', $browser->value($keys), "\n";

$shown = "document.querySelector('#error').hidden ? 'no error' : document.querySelector('#error').textContent";
$browser->value('void (window.broken = true)');
$browser->click('#entries td button');
$browser->until("!document.querySelector('#error').hidden");
$browser->value('void (window.ticks = 0)');
$browser->until('window.ticks >= 2');
echo 'after two updates: ', $browser->value("($shown)"), "\n";
$browser->value('void (window.broken = false)');
$browser->click('#entries td button');
$browser->until("document.querySelector('#value')");
echo 'after a success: ', $browser->value("($shown)"), "\n";
$browser->close();
?>
--EXPECT--
filled
after the late answer: fast
after two updates: The entry cannot be shown.
after a success: no error
