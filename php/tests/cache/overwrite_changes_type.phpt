--TEST--
larder: cache: an entry can be overwritten by any type
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$values = [1, 'short', str_repeat('long', 1000), [1, 2], null, 2.5, ['a' => ['b' => 1]], new ArrayObject([1]), 9, []];
foreach ($values as $a) {
    foreach ($values as $b) {
        VolatileCache::set('k', $a);
        VolatileCache::set('k', $b);
        if (VolatileCache::get('k') != $b) var_dump($a, $b);
    }
}
echo "done\n";
--EXPECT--
done
