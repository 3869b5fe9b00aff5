--TEST--
larder: lifetime: shutdown functions, destructors, output and header callbacks use what was fetched, and fetch
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    if (isset($_GET['read'])) { exit(file_get_contents(__DIR__ . '/late')); }
    if ($n === 0) { VolatileCache::set('v', ['s' => str_repeat('s', 500), 'a' => range(1, 20)]); exit('stored'); }
    if ($n >= 8) {
        /* Without output, PHP sends the headers after the modules have ended the request. */
        VolatileCache::set('late', ['s' => str_repeat('l', 500)]);
        $held = VolatileCache::get('late');
        VolatileCache::delete('late');
        header_register_callback(function () use ($held) {
            VolatileCache::set('later', ['s' => str_repeat('m', 500)]);
            $later = VolatileCache::get('later');
            VolatileCache::delete('later');
            for ($i = 0; $i < 500; $i++) VolatileCache::set("f$i", ['s' => str_repeat('t', 500)]);
            file_put_contents(__DIR__ . '/late', $held['s'] === str_repeat('l', 500) && $later['s'] === str_repeat('m', 500) ? 'late ' : 'WRONG ', FILE_APPEND);
        });
        return;
    }
    class D { public $v, $self; function __destruct() { $x = VolatileCache::get('v'); if ($this->v['s'] !== str_repeat('s', 500) || $x['a'] !== range(1, 20)) echo 'WRONG'; } }
    $v = VolatileCache::get('v');
    $d = new D; $d->v = $v; static $keep; $keep = $v; $d2 = new D; $d2->v = $v; $d2->self = $d2; unset($d2);
    register_shutdown_function(function () use ($v) { VolatileCache::delete('v'); for ($i = 0; $i < 500; $i++) VolatileCache::set("f$i", ['s' => str_repeat('t', 500), 'a' => range(2, 21)]); VolatileCache::set('v', $v); echo $v['s'] === str_repeat('s', 500) ? 'shutdown ' : 'WRONG '; });
    header_register_callback(function () use ($v) { header('X-Larder: ' . VolatileCache::get('v')['s']); header('X-Other: ' . $v['s']); });
    ob_start(function ($out) use ($v) { return $out . ($v['a'] === range(1, 20) && VolatileCache::get('v')['a'][3] === 4 ? 'buffer' : 'WRONG'); });
    echo 'fine ';
    CODE, 0, 'larder.volatile_size=1M');
$answers = [];
for ($n = 0; $n < 8; $n++) $answers[] = trim($ask($n));
echo implode("\n", array_unique($answers)), "\n";
for ($n = 8; $n < 12; $n++) $ask($n);
echo $ask('12&read'), "\n";
--EXPECT--
stored
fine shutdown buffer
late late late late
