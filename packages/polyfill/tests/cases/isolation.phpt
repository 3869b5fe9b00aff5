--TEST--
polyfill: stored and fetched values are copies; immutable objects are one instance
--FILE--
<?php
use Larder\{CacheStoreType, PinnedCache, VolatileCache};

class Box { public array $list = [1]; public ?Box $next = null; }
final readonly class Fixed { public function __construct(public int $n, public array $more = []) {} }
foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    $box = new Box;
    $box->next = $box;
    $array = ['box' => $box, 'r' => 1];
    $reference = &$array['r'];
    $cache::set('k', $array);
    $box->list[] = 2;
    $reference = 9;
    $first = $cache::get('k');
    $first['box']->list[] = 3;
    $second = $cache::get('k');
    var_dump($second['box']->list, $second['r'], $second['box']->next === $second['box'], $first['box'] !== $second['box']);
    $cache::set('fixed', [new Fixed(1, [new Fixed(2)])]);
    var_dump($cache::get('fixed')[0] === $cache::get('fixed')[0], $cache::getCacheStoreType('fixed') === CacheStoreType::Resident);
    $list = [1, 2, 3];
    end($list);
    $cache::set('list', $list);
    $got = $cache::get('list');
    var_dump(current($got));
}
$heap = new SplPriorityQueue;
$heap->insert('low', 1);
$heap->insert(['high'], 5);
VolatileCache::set('heap', ['h' => $heap, 'same' => $heap]);
$got = VolatileCache::get('heap');
var_dump($got['h'] === $got['same'], $got['h']->extract(), $got['h']->extract(), count($heap));
ini_set('serialize_precision', 3);
VolatileCache::set('float', [0.1 + 0.2, new ArrayObject([1 / 3])]);
var_dump(VolatileCache::get('float')[0] === 0.1 + 0.2, VolatileCache::get('float')[1][0] === 1 / 3);
--EXPECT--
array(1) {
  [0]=>
  int(1)
}
int(1)
bool(true)
bool(true)
bool(true)
bool(true)
int(1)
array(1) {
  [0]=>
  int(1)
}
int(1)
bool(true)
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
array(1) {
  [0]=>
  string(4) "high"
}
string(3) "low"
int(2)
bool(true)
bool(true)
