--TEST--
larder: cache: __serialize, __unserialize, __sleep and __wakeup run, and may use the cache
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class A { public $v = 1; function __serialize(): array { VolatileCache::set('inner', [1, 2, 3]); return ['v' => $this->v]; }
    function __unserialize(array $d): void { $this->v = $d['v'] + count(VolatileCache::get('inner')); } }
class B { public $a = 5; public $skipped = 6; function __sleep() { return ['a']; } function __wakeup() { VolatileCache::set('woke', true); } }
VolatileCache::set('o', [new A, new B]);
$g = VolatileCache::get('o');
var_dump($g[0]->v, $g[1]->a, VolatileCache::get('woke'));
--EXPECT--
int(4)
int(5)
bool(true)
