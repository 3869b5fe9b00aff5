--TEST--
larder: object: the cycle collector does not run while a value is measured or checked
--EXTENSIONS--
larder
--SKIPIF--
<?php if (ini_get('opcache.enable_cli')) die('skip with opcache the collector starts before the value is stored'); ?>
--INI--
error_reporting=8191
--FILE--
<?php
require __DIR__ . '/../include/collector.php';
use Larder\VolatileCache;

class Wrap extends ArrayObject {}
class Lists extends SplQueue {}
#[AllowDynamicProperties] class Old implements Serializable { function serialize() { return 'old'; } function unserialize($text) {} }

function storage(): SplObjectStorage
{
    $storage = new SplObjectStorage;
    $object = new stdClass;
    $object->list = ['x'];
    $storage[$object] = 1;
    return $storage;
}

/* set() must not run destructors while it stores these parts. For most parts, set() must examine a class that is new to this process.
 * For the last part, set() finds that PHP's serializer is needed, and frees objects. */
$parts = [
    'ArrayObject' => fn() => new ArrayObject([1]),
    'SplFixedArray' => fn() => SplFixedArray::fromArray([1]),
    'subclass of ArrayObject' => fn() => new Wrap([1]),
    'SplQueue' => function () { $queue = new SplQueue; $queue[] = 1; return $queue; },
    'subclass of SplQueue' => function () { $queue = new Lists; $queue[] = 1; return $queue; },
    'value for the serializer' => fn() => [storage(), 'between', new Old],
];
foreach ($parts as $name => $part) {
    $list = ['first' => $name . ' one', 'second' => str_repeat($name, 20), 'third' => [$name, 3], 'part' => $part(), 'last' => "$name last"];
    $value = new stdClass;
    $value->list = $list;
    /* Frees the list, and uses its memory for other values. */
    garbage(function () use ($value) {
        $value->list = null;
        for ($i = 0; $i < 100; $i++) $GLOBALS['others'][] = [$i, "other $i", str_repeat('z', 300)];
    });
    unset($list);
    Roots::fill();
    VolatileCache::set('value', $value);
    $got = VolatileCache::get('value')->list;
    gc_collect_cycles();
    echo $name, ': ', $got['first'] === "$name one" && $got['second'] === str_repeat($name, 20) && $got['third'] === [$name, 3] && $got['last'] === "$name last" ? 'whole' : 'WRONG',
        ', ', $value->list === null ? 'collected' : 'NOT COLLECTED', "\n";
}
--EXPECT--
ArrayObject: whole, collected
SplFixedArray: whole, collected
subclass of ArrayObject: whole, collected
SplQueue: whole, collected
subclass of SplQueue: whole, collected
value for the serializer: whole, collected
