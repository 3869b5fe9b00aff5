--TEST--
larder: errors: a heap beside an array that is both shared and referred to, which needs PHP's serializer, is refused with its path
--EXTENSIONS--
larder
--SKIPIF--
<?php if (method_exists(SplHeap::class, '__unserialize')) die('skip the serializer of this PHP does not empty heaps'); ?>
--FILE--
<?php
use Larder\VolatileCache;

$heap = new SplMinHeap;
$heap->insert(1);
$list = [1];
$value = ['heap' => $heap, 'a' => $list, 'b' => $list, 'r' => &$list, 's' => &$list];
try {
    var_dump(VolatileCache::set('k', $value));
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}
var_dump(VolatileCache::has('k'));
--EXPECT--
Larder\VolatileCache::set(): Argument #2 ($value) must not contain a non-empty SplMinHeap together with what only PHP's serializer takes, which would empty it, found at $value['heap']
bool(false)
