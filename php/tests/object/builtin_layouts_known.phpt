--TEST--
larder: object: this PHP's collections are stored by content, which takes less than what their hooks say
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip lists are not read without the allocator of PHP');
?>
--FILE--
<?php
use Larder\VolatileCache;

class Queue extends SplQueue { }
class Hooked extends SplQueue { public function __serialize(): array { return parent::__serialize(); } }
class Rows extends SplFixedArray { }
class HookedRows extends SplFixedArray { public function __serialize(): array { return parent::__serialize(); } }
class Box extends ArrayObject { }
class HookedBox extends ArrayObject { public function __serialize(): array { return parent::__serialize(); } }
function size(object $value): int
{
    VolatileCache::set('k', $value);
    return VolatileCache::keyInfo('k')->size;
}
function filled(string $class): object
{
    $list = new $class;
    if ($list instanceof SplFixedArray) $list->setSize(4);
    for ($i = 0; $i < 4; $i++) $list instanceof SplFixedArray ? $list[$i] = $i : $list[] = $i;
    return $list;
}
foreach ([Hooked::class => [Queue::class, SplQueue::class, SplStack::class, SplDoublyLinkedList::class], HookedRows::class => [Rows::class, SplFixedArray::class], HookedBox::class => [Box::class, ArrayObject::class, ArrayIterator::class]] as $hooked => $classes) {
    foreach ($classes as $class) {
        echo "$class: "; var_dump(size(filled($hooked)) - size(filled($class)) > 40);
    }
}
--EXPECT--
Queue: bool(true)
SplQueue: bool(true)
SplStack: bool(true)
SplDoublyLinkedList: bool(true)
Rows: bool(true)
SplFixedArray: bool(true)
Box: bool(true)
ArrayObject: bool(true)
ArrayIterator: bool(true)
