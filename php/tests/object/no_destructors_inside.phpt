--TEST--
larder: object: the cycle collector does not run while objects are built
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

#[AllowDynamicProperties] class P { public $a; }
class D { public $self; function __destruct() { if ($GLOBALS['inside']) echo "inside\n"; $GLOBALS['inside'] = false; } }
$inside = false;
$p = new P;
for ($i = 0; $i < 200; $i++) $p->{"d$i"} = new stdClass;
VolatileCache::set('g', $p);
for ($round = 0; $round < 3; $round++) {
    gc_collect_cycles();
    for ($i = 0; $i < 9900; $i++) { $d = new D; $d->self = $d; }
    unset($d);
    $inside = true;
    $got = VolatileCache::get('g');
    $inside = false;
    unset($got);
}
echo "done\n";
--EXPECT--
done
