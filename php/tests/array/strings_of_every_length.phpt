--TEST--
larder: array: strings of every length come back whole, as keys and as values, and equal ones are stored once
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$wrong = 0;
for ($length = 0; $length <= 200; $length++) {
    $text = '';
    for ($i = 0; $i < $length; $i++) $text .= chr(33 + ($i * 7 + $length) % 90);
    $array = [$text => $length, 'text' => $text, 'list' => [$text, strrev($text)]];
    VolatileCache::set('k', $array);
    $got = VolatileCache::get('k');
    $wrong += $got !== $array || serialize($got) !== serialize($array) || !isset($got[$text]);
}
var_dump($wrong);
VolatileCache::set('k', array_map(fn() => str_repeat('equal', 200), range(1, 100)));
var_dump(VolatileCache::keyInfo('k')->size < 5000);
--EXPECT--
int(0)
bool(true)
