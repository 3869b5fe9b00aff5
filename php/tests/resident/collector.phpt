--TEST--
larder: resident: the cycle collector comes by and takes nothing
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
enum Level { case Low; }
final readonly class Node { public ?Node $next; public array $all; public Level $level; public function __construct(public int $n, int $left, ?Node $first = null) { $this->level = Level::Low; $this->all = [[$first ?? $this]]; $this->next = $left === 0 ? $first : new Node($n + 1, $left - 1, $first ?? $this); } }
VolatileCache::set('ring', new Node(0, 50));
$text = serialize(VolatileCache::get('ring'));
$low = Level::Low;
for ($round = 0; $round < 300; $round++) {
    $garbage = new ArrayObject; $garbage[] = $garbage; $garbage[] = VolatileCache::get('ring'); $garbage[] = VolatileCache::get('ring')->next; $garbage[] = $low;
    $more = new stdClass; $more->more = $more; $more->ring = VolatileCache::get('ring')->next->next; $more->all = VolatileCache::get('ring')->all; $more->g = $garbage;
    if ($round % 3 === 0) { $map = new WeakMap; $map[VolatileCache::get('ring')] = $more; unset($map); }
    unset($garbage, $more);
    if (gc_collect_cycles() < 2) echo "nothing collected\n";
    if ($round % 50 === 0 && (serialize(VolatileCache::get('ring')) !== $text || VolatileCache::get('ring')->level !== $low)) echo "changed\n";
}
$before = memory_get_usage();
for ($i = 0; $i < 100000; $i++) $r = VolatileCache::get('ring')->next;
unset($r);
var_dump(memory_get_usage() - $before < 10000, serialize(VolatileCache::get('ring')) === $text, gc_collect_cycles());

echo "a star: ";
final readonly class Star { public array $points; public function __construct(public ?Star $centre = null, public ?Star $other = null) { if (!$centre) { $points = []; for ($i = 0; $i < 100; $i++) $points[] = $last = new Star($this, $last ?? $this); $this->points = $points; } else $this->points = []; } }
VolatileCache::set('star', [$s = new Star, $s->points[99]]);
unset($s);
for ($round = 0; $round < 20; $round++) {
    $garbage = new stdClass; $garbage->self = $garbage; $garbage->star = VolatileCache::get('star')[1];
    unset($garbage);
    gc_collect_cycles();
}
for ($s = VolatileCache::get('star')[1], $n = 0; $s->centre; $s = $s->other, $n++) if ($s->centre !== VolatileCache::get('star')[0]) echo "changed\n";
unset($s);
echo $n, "\n";

echo "a ring with a count of 2: ";
final readonly class Pair { public Pair $a; public Pair $b; public function __construct(?Pair $other = null) { $this->a = $this->b = $other ?? new Pair($this); } }
VolatileCache::set('pair', new Pair);
for ($round = 0; $round < 20; $round++) {
    $garbage = new stdClass; $garbage->self = $garbage; $garbage->pair = VolatileCache::get('pair');
    unset($garbage);
    gc_collect_cycles();
}
var_dump(VolatileCache::get('pair')->a->b === VolatileCache::get('pair'));

echo "a case that nothing else uses: ";
enum Alone { case One; case Two; }
final readonly class Uses { public function __construct(public Alone $case) {} }
VolatileCache::set('uses', new Uses(constant('Alone::' . 'One')));
for ($round = 0; $round < 20; $round++) {
    $garbage = new stdClass; $garbage->self = $garbage; $garbage->uses = VolatileCache::get('uses');
    unset($garbage);
    gc_collect_cycles();
    $more[] = new Uses(Alone::Two);
}
var_dump(VolatileCache::get('uses')->case === Alone::One, Alone::One->name);

echo "roots for the collector: ";
$before = gc_status()['roots'];
for ($i = 0; $i < 50; $i++) $kept[] = VolatileCache::get('star')[0]->points[$i];
unset($kept);
var_dump(gc_status()['roots'] - $before < 10);

echo "weak references: ";
$weak = WeakReference::create(VolatileCache::get('ring'));
var_dump($weak->get() === VolatileCache::get('ring'));
$map = new WeakMap; $map[VolatileCache::get('ring')] = 'x';
gc_collect_cycles();
var_dump(count($map), $map[VolatileCache::get('ring')]);
VolatileCache::delete('ring');
var_dump($weak->get()->n, count($map));
?>
--EXPECT--
bool(true)
bool(true)
int(0)
a star: 100
a ring with a count of 2: bool(true)
a case that nothing else uses: bool(true)
string(3) "One"
roots for the collector: bool(true)
weak references: bool(true)
int(1)
string(1) "x"
int(0)
int(1)
