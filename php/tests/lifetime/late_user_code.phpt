--TEST--
larder: lifetime: shutdown functions, destructors, output and header callbacks use what was fetched, and fetch
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    if ($n === 0) { VolatileCache::set('v', ['s' => str_repeat('s', 500), 'a' => range(1, 20)]); exit('stored'); }
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
--EXPECT--
stored
fine shutdown buffer
