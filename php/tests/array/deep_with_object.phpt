--TEST--
larder: array: too deep for the serializer: a ValueError, and the old value stays
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

VolatileCache::set('k', 'old');
foreach ([1000, 10000] as $depth) {
    $a = new stdClass;
    for ($i = 0; $i < $depth; $i++) $a = [$a];
    try { var_dump(VolatileCache::set('k', $a)); } catch (ValueError $e) { echo preg_replace('/found at .*/', 'found at', $e->getMessage()), "\n"; }
    $g = VolatileCache::get('k');
    for ($i = 0; is_array($g); $i++) $g = $g[0];
    var_dump($i, $g);
    while (is_array($a)) { $b = $a[0]; unset($a[0]); $a = $b; }
}
$o = null;
for ($i = 0; $i < 10000; $i++) { $n = new stdClass; $n->next = $o; $o = $n; }
try { VolatileCache::set('k', $o); } catch (ValueError $e) { echo substr($e->getMessage(), 0, 80), "\n"; }
while ($o) { $n = $o->next; $o->next = null; $o = $n; }
--EXPECTF--
bool(true)
int(1000)
object(stdClass)#%d (0) {
}
Larder\VolatileCache::set(): Argument #2 ($value) must not be nested deeper than 4096 levels where it contains objects or references, found at
int(1000)
object(stdClass)#%d (0) {
}
Larder\VolatileCache::set(): Argument #2 ($value) must not be nested deeper than
