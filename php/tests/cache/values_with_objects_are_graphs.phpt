--TEST--
larder: cache: values with objects are graphs and say so
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Point { public $x = 1; protected $y = 2; private $z = 3; public ?Point $next = null; function sum() { return $this->x + $this->y + $this->z; } }
enum Suit: string { case Hearts = 'h'; case Spades = 's'; }
$p = new Point; $p->next = new Point; $p->next->x = 10;
VolatileCache::set('o', ['point' => $p, 'same' => $p, 'suit' => Suit::Spades, 'date' => new DateTimeImmutable('2024-01-02 03:04:05 UTC')]);
$got = VolatileCache::get('o');
var_dump($got['point']->next->sum(), $got['point'] === $got['same'], $got['point'] !== $p, $got['suit'] === Suit::Spades, $got['date']->format('c'));
var_dump(VolatileCache::getCacheStoreType('o'));
--EXPECT--
int(15)
bool(true)
bool(true)
bool(true)
string(25) "2024-01-02T03:04:05+00:00"
enum(Larder\CacheStoreType::SharedGraph)
