--TEST--
larder: errors: heaps that have hooks are stored whole beside what only PHP's serializer takes
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--SKIPIF--
<?php if (!method_exists(SplHeap::class, '__unserialize')) die('skip the serializer of this PHP empties heaps'); ?>
--FILE--
<?php
use Larder\VolatileCache;

class Old implements Serializable { function serialize() { return 'old'; } function unserialize($s) {} }
class MyHeap extends SplMaxHeap { public $p; }

$low = new SplMinHeap;
$queue = new SplPriorityQueue;
$mine = new MyHeap;
foreach ([3, 1, 2] as $number) {
    $low->insert($number);
    $queue->insert($number, $number);
    $mine->insert($number);
}
$mine->p = 'property';
VolatileCache::set('k', [new Old, $low, ['deep' => $queue], (object) ['p' => $mine]]);
echo VolatileCache::getCacheStoreType('k')->name, "\n";
[, $low, ['deep' => $queue], $object] = VolatileCache::get('k');
echo implode(' ', iterator_to_array($low, false)), ', ', implode(' ', iterator_to_array($queue, false)), ', ', $object->p->p, ' ',
    implode(' ', iterator_to_array($object->p, false)), "\n";
try {
    $low->insert(fn () => 1);
    VolatileCache::set('k', ['heap' => $low]);
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}
--EXPECT--
PHPSerialized
1 2 3, 3 2 1, property 3 2 1
Larder\VolatileCache::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value['heap']->__serialize()[1]['heap_elements'][0]
