--TEST--
larder: object: while the engine destroys what is left, no fetch gives a number of an object twice
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
class Plain { public int $v = 0; }
class Last { // two variables refer to this object, so its destructor runs late; by then, the engine no longer reuses handles
    public array $got = [];
    function __destruct() {
        for ($i = 0; $i < 20; $i++) { $this->got[] = $o = VolatileCache::get('one'); $o->v = $i; $this->got[] = VolatileCache::get('many')[1]; $this->got[] = new Plain; $this->got[] = VolatileCache::get('ending'); }
        $ids = array_map(spl_object_id(...), $this->got);
        echo count($ids), ' objects, ', count(array_unique($ids)), " numbers, the least ", min($ids) > $GLOBALS['most'] ? 'new' : 'OLD', "\n";
    }
}
class Ending { function __destruct() { $GLOBALS['ended'] = ($GLOBALS['ended'] ?? 0) + 1; if ($GLOBALS['ended'] === 20) echo "all ended\n"; } }
VolatileCache::set('one', new Plain); VolatileCache::set('many', [new Plain, new Plain]);
$e = new Ending; VolatileCache::set('ending', $e); $ended = -1; $e = null;
$last = $again = new Last;
for ($i = 0, $free = []; $i < 200; $i++) $free[] = new Plain;
$most = spl_object_id(end($free));
$free = null;
?>
--EXPECT--
80 objects, 80 numbers, the least new
all ended
