--TEST--
larder: object: destructors run once, as PHP would, and may use the cache
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Ending { public $other; function __construct(public $name) {} function __destruct() { echo $this->name, ' '; if ($this->name === 'keeper') { VolatileCache::set('from destructor', [$this->other]); $GLOBALS['kept'] = $this; } } }
$a = new Ending('a'); $b = new Ending('b'); $a->other = $b;
VolatileCache::set('k', ['x' => $a, 'y' => new Ending('c'), 'again' => $b]);
unset($a, $b);
echo "| stored\n";
$got = VolatileCache::get('k');
unset($got['x']);
echo "| x\n";
$got = null;
echo "| all\n";
VolatileCache::get('k');
echo "| unused\n";
$cycle = new Ending('cycle'); $cycle->other = $cycle;
VolatileCache::set('cycle', $cycle); $cycle->other = null; $cycle = null;
VolatileCache::get('cycle');
echo "| not yet\n";
gc_collect_cycles();
echo "| collected\n";
$keeper = new Ending('keeper'); $keeper->other = new Ending('inner');
VolatileCache::set('keeper', $keeper); $keeper = $kept = null;
echo "| kept, then destroyed for good\n";
$got = VolatileCache::get('keeper');
$got = null;
var_dump($kept->other->name);
$kept = null;
echo "| ", get_class(VolatileCache::get('from destructor')[0]), "\n";
$at_end = VolatileCache::get('k');
echo "| end: ";
--EXPECT--
c a b | stored
a | x
c b | all
a c b | unused
cycle | not yet
cycle | collected
keeper | kept, then destroyed for good
keeper inner string(5) "inner"
inner | inner Ending
| end: c a b 
