--TEST--
larder: resident: an allocator that finds leaks sees each enum case freed once, after the last graph that contains it
--EXTENSIONS--
larder
--FILE--
<?php
/* Larder frees the enum cases of kept arrays at the end of a request only with USE_ZEND_ALLOC=0 (as under AddressSanitizer), or in a debug
 * build. In the first graph, no kept array contains the case Outside. In the second graph, a kept array contains it. */
use Larder\VolatileCache;
enum Kept { case Inside; case Outside; case Far; }
class Around { public function __construct(public mixed $case, public array $lists) {} }
final readonly class Fixed { public function __construct(public Kept $case, public array $list) {} }
$lists = fn(Kept $case) => array_map(fn(int $i) => [$case, $i], range(1, 20));
VolatileCache::set('outside', new Around([new stdClass, Kept::Outside, Kept::Far], $lists(Kept::Inside)));
VolatileCache::set('inside', new Around(null, $lists(Kept::Outside)));
VolatileCache::set('fixed', new Fixed(Kept::Outside, [Kept::Inside, Kept::Far]));
$found = [];
foreach (['outside', 'inside', 'fixed', 'outside'] as $key) $found[] = VolatileCache::get($key);
var_dump($found[0]->case[1], $found[1]->lists[19][0] === Kept::Outside, $found[2]->list[1], $found[3]->lists[0][0]);
?>
--EXPECT--
enum(Kept::Outside)
bool(true)
enum(Kept::Far)
enum(Kept::Inside)
