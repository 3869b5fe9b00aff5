--TEST--
larder: object: an object that a hook drops is freed, although it is a cycle and the cycle collector has run meanwhile
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Cyclic { public static int $gone = 0; public $self; public function __unserialize(array $data): void { $this->self = $this; } public function __destruct() { self::$gone++; } }
class Holder { public $held; }
class Last { public static bool $collect; public array $holders = []; public function __unserialize(array $data): void { foreach ($data['holders'] as $holder) $holder->held = null; if (self::$collect) gc_collect_cycles(); } }

foreach ([1, 20] as $count) {
    $last = new Last;
    for ($i = 0; $i < $count; $i++) {
        $last->holders[] = $holder = new Holder;
        $holder->held = new Cyclic;
    }
    VolatileCache::set('k', [$last->holders, $last]);
    unset($holder, $last);
    gc_collect_cycles();
    foreach ([false, true] as Last::$collect) {
        Cyclic::$gone = 0;
        $got = VolatileCache::get('k');
        gc_collect_cycles();
        echo Cyclic::$gone, ' of ', $count, ' ', count($got[0]), "\n";
        unset($got);
    }
}
--EXPECT--
1 of 1 1
1 of 1 1
20 of 20 20
20 of 20 20
