--TEST--
larder: string: changing a fetched string changes a copy
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

$s = str_repeat('abc', 500);
VolatileCache::set('k', $s);
$g = VolatileCache::get('k'); $g .= 'more'; var_dump(strlen($g));
$g = VolatileCache::get('k'); $g[0] = 'X'; var_dump($g[0], $g[1]);
$g = VolatileCache::get('k'); $h = $g; $h[5] = '!'; var_dump($g === $s);
$g = VolatileCache::get('k'); $r = &$g; $r .= 'z'; var_dump(strlen($g));
$g = VolatileCache::get('k'); $g++; var_dump(strlen($g));
$a = ['s' => VolatileCache::get('k')]; $a['s'] .= '1'; var_dump(strlen($a['s']));
settype($g, 'array'); var_dump(count($g));
var_dump(VolatileCache::get('k') === $s);
--EXPECT--
int(1504)
string(1) "X"
string(1) "b"
bool(true)
int(1501)
int(1500)
int(1501)
int(1)
bool(true)
