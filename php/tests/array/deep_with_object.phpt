--TEST--
larder: array: objects may lie as deep as arrays; for the serializer there is a limit, a ValueError, and the old value stays
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

class Old implements Serializable { function serialize() { return "x"; } function unserialize($s) {} }
VolatileCache::set('k', 'old');
foreach ([new stdClass, new Old] as $object) {
    foreach ([1000, 10000] as $depth) {
        $a = $object;
        for ($i = 0; $i < $depth; $i++) $a = [$a];
        try { var_dump(VolatileCache::set('k', $a)); } catch (ValueError $e) { echo preg_replace('/found at .*/', 'found at', $e->getMessage()), "\n"; }
        $g = VolatileCache::get('k');
        for ($i = 0; is_array($g); $i++) $g = $g[0];
        var_dump($i, $g);
        while (is_array($a)) { $b = $a[0]; unset($a[0]); $a = $b; }
    }
}
$o = null;
for ($i = 0; $i < 10000; $i++) { $n = new stdClass; $n->next = $o; $o = $n; }
var_dump(VolatileCache::set('k', $o));
$g = VolatileCache::get('k');
for ($i = 0; $g; $i++) { $n = $g->next; $g->next = null; $g = $n; }
var_dump($i);
while ($o) { $n = $o->next; $o->next = null; $o = $n; }
--EXPECTF--
bool(true)
int(1000)
object(stdClass)#%d (0) {
}
bool(true)
int(10000)
object(stdClass)#%d (0) {
}
bool(true)
int(1000)
object(Old)#%d (0) {
}
Larder\VolatileCache::set(): Argument #2 ($value) must not be nested deeper than 4096 levels where it contains objects or references, found at
int(1000)
object(Old)#%d (0) {
}
bool(true)
int(10000)
