--TEST--
larder: lifetime: patterns that were fetched do not stay in the cache of PCRE
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    $long = '/(?<word>' . str_repeat('a?', 200) . 'fox)\b/u';
    if ($n === 0) { VolatileCache::set('p', ['short' => '/f(o)x/', 'long' => $long]); exit('stored'); }
    if ($n % 2) {
        $p = VolatileCache::get('p');
        $r = preg_match($p['short'], 'the fox') + preg_match($p['long'], 'the fox') + count(preg_split($p['short'], 'a fox b')) + strlen(preg_replace_callback($p['long'], fn($m) => '', 'the fox'));
        VolatileCache::delete('p');
        for ($i = 0; $i < 200; $i++) VolatileCache::set("fill$i", str_repeat("\x9b", strlen($long) + 300));
        VolatileCache::set('p', $p);
    } else {
        VolatileCache::clear();
        for ($i = 0; $i < 200; $i++) VolatileCache::set("fill$i", str_repeat("\x9b", strlen($long) + 300));
        $r = preg_match('/f(o)x/', 'the fox') + preg_match($long, 'the fox') + count(preg_split('/f(o)x/', 'a fox b')) + strlen(preg_replace_callback($long, fn($m) => '', 'the fox'));
        VolatileCache::set('p', ['short' => '/f(o)x/', 'long' => $long]);
    }
    /* Use more patterns than PHP's cache can have. When PHP removes the oldest ones, it reads their keys. */
    if ($n >= 10) for ($i = 0; $i < 4200; $i++) preg_match("/$n-$i/", 'x');
    echo $r;
    CODE, 0, 'larder.volatile_size=1M');
$answers = [];
for ($n = 0; $n < 12; $n++) $answers[] = $ask($n);
echo implode(' ', $answers), "\n";
--EXPECT--
stored 8 8 8 8 8 8 8 8 8 8 8
