--TEST--
larder: lifetime: stream wrappers and filters registered under fetched names
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    class W { public $context; private $p = 0; function stream_open($path) { return true; } function stream_read($n) { return $this->p++ ? '' : 'wrapped'; } function stream_eof() { return $this->p > 0; } function stream_stat() { return []; } }
    class F extends php_user_filter { function filter($in, $out, &$consumed, bool $closing): int { while ($b = stream_bucket_make_writeable($in)) { $b->data = strtoupper($b->data); $consumed += $b->datalen; stream_bucket_append($out, $b); } return PSFS_PASS_ON; } }
    if ($n === 0) { VolatileCache::set('names', ['wrapper' => 'larder' . str_repeat('x', 300), 'filter' => 'larder.' . str_repeat('y', 300)]); exit('stored'); }
    $names = VolatileCache::get('names');
    stream_wrapper_register($names['wrapper'], 'W');
    stream_filter_register($names['filter'], 'F');
    /* Add keys that are not interned. If all keys were interned, PHP would free the table without reading the keys. */
    stream_wrapper_register("other$n", 'W');
    stream_filter_register("other.$n", 'F');
    $h = fopen($names['wrapper'] . '://x', 'r');
    stream_filter_append($h, $names['filter']);
    echo stream_get_contents($h);
    if ($n % 2) stream_wrapper_unregister('http');
    VolatileCache::delete('names');
    for ($i = 0; $i < 500; $i++) VolatileCache::set("fill$i", str_repeat("\x9b", 1000));
    VolatileCache::set('names', $names);
    CODE, 0, 'larder.volatile_size=1M');
$answers = [];
for ($n = 0; $n < 10; $n++) $answers[] = $ask($n);
echo implode(' ', $answers), "\n";
--EXPECT--
stored WRAPPED WRAPPED WRAPPED WRAPPED WRAPPED WRAPPED WRAPPED WRAPPED WRAPPED
