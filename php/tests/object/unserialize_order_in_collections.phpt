--TEST--
larder: object: hooks are called in the order of PHP's unserialize(): those of the elements of a collection before those of its properties
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Log { public static array $called = []; }
class Bare { public $a; public function __construct(public int $id) {} public function __unserialize(array $data): void { Log::$called[] = $data['id']; foreach ($data as $name => $value) $this->$name = $value; } }
class Wakes { public $a; public function __construct(public int $id) {} public function __wakeup(): void { Log::$called[] = $this->id; } }
class Wraps extends ArrayObject { public $a; public $b; public $c; }
class Listed extends SplDoublyLinkedList { public $a; public $b; public $c; }
class Fixed extends SplFixedArray { public $a; public $b; public $c; }

function told(callable $make): string
{
    Log::$called = [];
    $make();
    return implode(' ', Log::$called);
}

foreach (['Bare', 'Wakes'] as $class)
    foreach (['Wraps', 'Listed', 'Fixed'] as $own)
        foreach ([0, 100] as $more) { // with 100 more elements, the value has many parts
            $made = 0;
            $new = function () use (&$made, $class) {
                $object = new $class(++$made);
                if ($made % 3 === 0) $object->a = [new $class(100 + $made)];
                return $object;
            };
            $collection = $own === 'Fixed' ? new Fixed(3) : new $own;
            $collection->a = $new();
            $collection->b = [$new(), [$new()]];
            for ($i = 0; $i < 3; $i++) $own === 'Fixed' ? $collection[$i] = $new() : $collection[] = $new();
            $collection->c = $collection[0];
            $value = [$new(), $collection, [$new()], array_fill(0, $more, 'more')];
            VolatileCache::set('k', $value);
            $mine = told(fn() => VolatileCache::get('k'));
            $wanted = told(fn() => unserialize(serialize($value)));
            echo "$class in $own $more: ", VolatileCache::getCacheStoreType('k')->name, $mine === $wanted ? '' : " wanted $wanted got $mine", "\n";
        }
--EXPECT--
Bare in Wraps 0: SharedGraph
Bare in Wraps 100: SharedGraph
Bare in Listed 0: SharedGraph
Bare in Listed 100: SharedGraph
Bare in Fixed 0: SharedGraph
Bare in Fixed 100: SharedGraph
Wakes in Wraps 0: SharedGraph
Wakes in Wraps 100: SharedGraph
Wakes in Listed 0: SharedGraph
Wakes in Listed 100: SharedGraph
Wakes in Fixed 0: SharedGraph
Wakes in Fixed 100: SharedGraph
