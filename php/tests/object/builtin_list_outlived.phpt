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
    /* At the end of the script, the engine frees the object with the highest number first. Here it must free $list before the iterator.
     * So the iterator gets the number of $before: it is lower than the number of $list. */
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
