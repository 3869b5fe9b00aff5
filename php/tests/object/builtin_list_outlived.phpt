--TEST--
larder: object: an iterator that is freed after its fetched list, at the end of the request
--EXTENSIONS--
larder
--INI--
larder.volatile_size=64M
memory_limit=512M
--FILE--
<?php
use Larder\VolatileCache;

class Kept { public static array $iterators; }
$list = new SplQueue;
for ($i = 0; $i < 100000; $i++) $list[] = $i; /* the list is so large that freeing it unmaps its memory */
VolatileCache::set('list', $list);
unset($list);
foreach ([false, true] as $removed) {
    /* At the end, the engine frees objects with high numbers first, and must free $list before its iterator. So the iterator reuses the
     * number of $before, which is below the number of $list. */
    $before = new stdClass;
    $list = VolatileCache::get('list');
    unset($before);
    $walk = Kept::$iterators[] = new IteratorIterator($list);
    $walk->rewind();
    $walk->next();
    if ($removed) $list->offsetUnset(1);
    echo spl_object_id($walk) < spl_object_id($list) ? 'below' : 'above', ' ', $walk->key(), "\n";
    unset($list, $walk);
}
echo "done\n";
?>
--EXPECT--
below 1
below 1
done
