--TEST--
larder: lifetime: values fetched in hot loops
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('a', range(0, 99)); VolatileCache::set('f', array_map(fn($i) => $i / 2, range(0, 99))); VolatileCache::set('h', ['x' => 1, 'y' => ['z' => 2]]); VolatileCache::set('s', str_repeat('ab', 400)); VolatileCache::set('i', 7);
function sum() { $t = 0; $a = VolatileCache::get('a'); foreach ($a as $v) $t += $v; for ($i = 0; $i < count($a); $i++) $t += $a[$i]; return $t; }
function floats() { $t = 0.0; foreach (VolatileCache::get('f') as $v) $t += $v; return $t; }
function write() { $a = VolatileCache::get('a'); for ($i = 0; $i < 100; $i++) $a[$i] += 1; $a[] = 5; return array_sum($a); }
function nested() { $h = VolatileCache::get('h'); $h['y']['z']++; $h['x'] += $h['y']['z']; return $h['x'] + VolatileCache::get('h')['y']['z']; }
function str() { $s = VolatileCache::get('s'); $n = 0; for ($i = 0; $i < strlen($s); $i++) if ($s[$i] === 'a') $n++; $s .= 'c'; return $n + strlen($s); }
function ints() { return VolatileCache::get('i') + VolatileCache::get('none', 1); }
function refs() { $a = VolatileCache::get('a'); $r = &$a[5]; $r = 'x'; foreach ($a as &$v) { if ($v === 'x') $v = 100; } return array_sum($a); }
$seen = [];
for ($n = 0; $n < 500; $n++) $seen[json_encode([sum(), floats(), write(), nested(), str(), ints(), refs()])] = 1;
echo implode("\n", array_keys($seen)), "\n";
--EXPECT--
[9900,2475,5055,6,1201,8,5045]
