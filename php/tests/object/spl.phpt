--TEST--
larder: object: SPL collections and their subclasses
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

class Typed extends ArrayObject { public $extra = [1]; protected ?Typed $parent = null; function parent($p) { $this->parent = $p; return $this; } function getParent() { return $this->parent; } }
class Tags extends SplObjectStorage { public $name = 'tags'; }
class Jobs extends SplPriorityQueue { }
$o = new stdClass;
$storage = new Tags; $storage[$o] = ['data' => $o]; $storage->name = 'mine';
$list = new SplDoublyLinkedList; $list->setIteratorMode(SplDoublyLinkedList::IT_MODE_LIFO); array_map([$list, 'push'], [1, $o, [$o]]);
$fixed = SplFixedArray::fromArray([1, null, $o]);
$values = ['ao' => (new Typed(['k' => $o, 5 => [1]], ArrayObject::ARRAY_AS_PROPS))->parent(new Typed), 'wraps' => new ArrayObject((object) ['p' => $o]), 'iterator' => new ArrayIterator([3, 1, 2]),
    'storage' => $storage, 'list' => $list, 'queue' => (function () { $q = new SplQueue; $q[] = 'a'; $q[] = 'b'; return $q; })(), 'stack' => (function () { $q = new SplStack; $q[] = 'a'; $q[] = 'b'; return $q; })(), 'fixed' => $fixed, 'multi' => new MultipleIterator];
foreach ($values as $name => $value) {
    VolatileCache::set($name, $value);
    $got = VolatileCache::get($name);
    $wanted = unserialize(serialize($value));
    echo "$name: ", VolatileCache::getCacheStoreType($name)->name, ' '; var_dump(serialize($got) === serialize($wanted) && get_class($got) === get_class($value));
}
echo "writing to them changes them only\n";
$ao = VolatileCache::get('ao'); $ao['new'] = 1; $ao[5][] = 2; $ao->sixth = 6; unset($ao['k']); $ao->uasort(fn($a, $b) => 0);
var_dump(count($ao), count(VolatileCache::get('ao')), count(VolatileCache::get('ao')[5]), $ao->getParent()->extra);
$s = VolatileCache::get('storage'); foreach ($s as $i => $key) var_dump($s[$key]['data'] === $key, $s->name); $s->attach(new stdClass); var_dump(count($s), count(VolatileCache::get('storage')));
$l = VolatileCache::get('list'); $l->push(4); $l->offsetUnset(0); var_dump(count($l), count(VolatileCache::get('list'))); foreach ($l as $v) { echo get_debug_type($v), ' '; } echo "\n";
$f = VolatileCache::get('fixed'); $f[1] = 'x'; $f->setSize(5); var_dump($f->toArray()[1], VolatileCache::get('fixed')[1], VolatileCache::get('fixed')->getSize());
$i = VolatileCache::get('iterator'); $i->asort(); echo implode(',', iterator_to_array($i, false)), ' ', implode(',', iterator_to_array(VolatileCache::get('iterator'), false)), "\n";
$same = VolatileCache::set('all', [$values, $o]) ? VolatileCache::get('all') : null;
var_dump($same[0]['ao']['k'] === $same[1], $same[0]['storage']->contains($same[1]), $same[0]['fixed'][2] === $same[1], $same[0]['list'][1] === $same[1]);
foreach ([new SplMinHeap, new Jobs] as $heap) { $heap->insert(...($heap instanceof SplHeap ? [1] : [1, 1])); try { VolatileCache::set('heap', $heap); echo VolatileCache::get('heap') == $heap && count(VolatileCache::get('heap')) === 1 ? "with its content\n" : "differs\n"; } catch (Throwable $e) { echo $e->getMessage(), "\n"; } }
--EXPECT--
ao: SharedGraph bool(true)
wraps: SharedGraph bool(true)
iterator: SharedGraph bool(true)
storage: SharedGraph bool(true)
list: SharedGraph bool(true)
queue: SharedGraph bool(true)
stack: SharedGraph bool(true)
fixed: SharedGraph bool(true)
multi: PHPSerialized bool(true)
writing to them changes them only
int(3)
int(2)
int(1)
array(1) {
  [0]=>
  int(1)
}
bool(true)
string(4) "mine"
int(2)
int(1)
int(3)
int(3)
array stdClass int 
string(1) "x"
NULL
int(3)
1,2,3 3,1,2
bool(true)
bool(true)
bool(true)
bool(true)
with its content
with its content
