--TEST--
larder: array: arrays nested 10,000 and 100,000 deep
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

foreach ([511, 512, 513, 5000, 10000, 100000] as $depth) {
    $a = 'bottom';
    for ($i = 0; $i < $depth; $i++) $a = ['n' => $a];
    var_dump(VolatileCache::set('k', $a));
    $g = VolatileCache::get('k');
    for ($i = 0; $i < $depth; $i++) $g = $g['n'];
    var_dump($g);
    while (is_array($a)) { $b = $a['n']; unset($a['n']); $a = $b; }
}
--EXPECT--
bool(true)
string(6) "bottom"
bool(true)
string(6) "bottom"
bool(true)
string(6) "bottom"
bool(true)
string(6) "bottom"
bool(true)
string(6) "bottom"
bool(true)
string(6) "bottom"
