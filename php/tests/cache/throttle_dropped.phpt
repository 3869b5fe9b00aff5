--TEST--
larder: throttle: an answer that the program drops is gone, for weak references, weak maps and destructors, too
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

final class Dropped
{
    public function __destruct()
    {
        for ($i = 0; $i < 3; $i++) $GLOBALS['made'][] = VolatileCache::throttle('inside', 1000, 3600);
    }
}

$answer = VolatileCache::throttle('weak', 9, 3600);
$weak = WeakReference::create($answer);
unset($answer);
var_dump($weak->get());

// the destructors of these objects call throttle() while a result is destroyed
$map = new WeakMap;
$answers = [VolatileCache::throttle('map', 1000, 3600), VolatileCache::throttle('map', 1000, 3600)];
foreach ($answers as $answer) $map[$answer] = new Dropped;
unset($answers, $answer);
var_dump(count($map), count($made));
for ($i = 0; $i < 6; $i++) $made[] = VolatileCache::throttle('map', 1000, 3600);
echo implode(' ', array_column($made, 'remaining')), ', ', count(array_unique(array_map('spl_object_id', $made))), " objects\n";

// the cycle collector frees a result that was also stored in the cache
$cycle = new stdClass;
$cycle->self = $cycle;
$cycle->answer = VolatileCache::throttle('cycle', 7, 3600);
VolatileCache::set('kept', [$cycle->answer]);
unset($cycle);
var_dump(gc_collect_cycles() > 0);
$answer = VolatileCache::throttle('cycle', 7, 3600);
$copy = clone $answer;
echo VolatileCache::get('kept')[0]->remaining, " $answer->remaining $copy->remaining\n";
var_dump(unserialize(serialize($answer)) == $answer, $copy == $answer, $copy === $answer);
?>
--EXPECT--
NULL
int(0)
int(6)
999 998 997 996 995 994 997 996 995 994 993 992, 12 objects
bool(true)
6 5 5
bool(true)
bool(true)
bool(false)
