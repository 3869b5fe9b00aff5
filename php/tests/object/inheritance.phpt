--TEST--
larder: object: private slots of the same name, overridden and inherited ones stay apart
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class A { private $x = 'A'; protected $y = 'A'; public $z = 'A'; function a() { return [$this->x, $this->y, $this->z]; } function setA($v) { $this->x = $v; return $this; } }
class B extends A { private $x = 'B'; public $y = 'B'; function b() { return [$this->x, $this->y, $this->z]; } function setB($v) { $this->x = $v; return $this; } }
class C extends B { protected $x = 'C'; public ?C $next = null; function c() { return [$this->x, $this->y, $this->z]; } function setC($v) { $this->x = $v; return $this; } }
abstract class Shape { private array $parts = []; abstract function name(); function add($p) { $this->parts[] = $p; return $this; } function parts() { return $this->parts; } }
final class Circle extends Shape { function name() { return 'circle'; } }
trait Counted { private int $count = 0; function count() { return ++$this->count; } }
class Counter { use Counted; }
class CounterChild extends Counter { use Counted; }
$c = (new C)->setA(1)->setB([2])->setC('three');
$c->next = new C;
$counter = new CounterChild; $counter->count();
VolatileCache::set('k', [$c, (new Circle)->add('p')->add($c), new B, $counter]);
[$got, $circle, $b, $counted] = VolatileCache::get('k');
echo json_encode([$got->a(), $got->b(), $got->c(), $got->next->c(), $b->a(), $b->b(), $circle->name(), count($circle->parts())]), "\n";
var_dump($circle->parts()[1] === $got, $counted->count(), $got == $c);
print_r(array_map(fn($k) => strtr($k, "\0", ':'), array_keys((array) $got)));
--EXPECT--
[[1,"B","A"],[[2],"B","A"],["three","B","A"],["C","B","A"],["A","B","A"],["B","B","A"],"circle",2]
bool(true)
int(2)
bool(true)
Array
(
    [0] => :A:x
    [1] => y
    [2] => z
    [3] => :B:x
    [4] => :*:x
    [5] => next
)
