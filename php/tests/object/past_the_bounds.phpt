--TEST--
larder: object: past the bounds of what a request may hold, objects come all the same
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--INI--
larder.form=ready
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
use Larder\VolatileCache;

enum Suit: string { case Hearts = 'h'; case Spades = 's'; const WILD = self::Spades; }
class Base { private $secret = 's'; public Suit $suit = Suit::WILD; public $list = [self::class, PHP_VERSION_ID > 1]; }
#[AllowDynamicProperties] class Leaf extends Base { public ?Leaf $next = null; public $text; public $array = []; public $reference; }
class State { public $v; function __serialize(): array { return ['v' => $this->v, 'shared' => $this->v]; } function __unserialize(array $d): void { $this->v = $d['v']; for ($i = 0; $i < 30; $i++) Larder\VolatileCache::set("churn $i", str_repeat("$i", 20000)); } }
const EVICTED = 9; /* exit code of a child that finds no entry, because its own held values have evicted it */
function child(Closure $run): bool { if (($pid = pcntl_fork()) === 0) { $run(); $GLOBALS['values'] = $GLOBALS['leaf'] = $GLOBALS['state'] = null; gc_collect_cycles(); exit; } pcntl_waitpid($pid, $s); if ($s && $s !== EVICTED << 8) echo "status $s\n"; return $s === 0; }
$leaf = new Leaf; $leaf->next = new Leaf; $leaf->next->next = $leaf; $leaf->text = str_repeat('text', 30); $leaf->array = ['k' => str_repeat('x', 100), 'list' => range(1, 50), 'o' => $leaf->next, 'case' => Suit::Hearts];
$leaf->added = [str_repeat('added', 20)]; $leaf->{'long name ' . str_repeat('n', 50)} = $leaf; $leaf->array['r'] = &$leaf->reference; unset($leaf->list);
$state = new State; $state->v = ['deep' => ['text' => str_repeat('s', 100)], 'leaf' => $leaf];
$values = ['leaf' => $leaf, 'state' => $state, 'case' => Suit::Spades, 'list' => [new ArrayObject(['k' => str_repeat('y', 90)]), new DateTime('2024-01-01'), $leaf, 'plain' => [str_repeat('p', 80)]]];
$map = ['k' => str_repeat('m', 90), 'list' => [1, str_repeat('d', 80)]]; $queue = new SplQueue; foreach ([1, str_repeat('q', 90), $map, $leaf, [$leaf]] as $v) $queue[] = $v;
$values['collections'] = [$queue, SplFixedArray::fromArray([str_repeat('f', 90), $map, $leaf, null]), new ArrayObject($map), new ArrayIterator($map), new ArrayObject([]), new ArrayObject([$leaf, $map]), $map];
foreach ($values as $k => $v) VolatileCache::set($k, $v);
$dump = function ($value) { ob_start(); var_dump($value); return preg_replace('/#\d+/', '#', ob_get_clean()); };
foreach ($values as $k => $v) child(function () use ($k, $v, $values, $dump) {
    $held = hold_all_that_a_request_may();
    foreach ($values as $name => $value) VolatileCache::set($name, $value); // store the entries again, because the held values may have evicted them
    $sums = array_map(fn($h) => md5(serialize($h)), $held);
    $wanted = $dump(unserialize(serialize($v)));
    $got = [];
    for ($i = 0; $i < 40; $i++) $got[] = VolatileCache::get($k);
    VolatileCache::set($k, 'replaced'); VolatileCache::clear();
    for ($i = 0; $i < 300; $i++) VolatileCache::set("over $i", str_repeat('overwritten', 9000));
    $good = 0;
    foreach ($got as $g) $good += $dump($g) === $wanted;
    var_dump($good);
    foreach ($held as $i => $h) if (md5(serialize($h)) !== $sums[$i]) echo "changed\n";
    $got = $g = null; gc_collect_cycles();
    foreach ($values as $k => $v) VolatileCache::set($k, $v);
    for ($i = 0; $i < 1200; $i++) VolatileCache::set("a$i", [$i, []]);
});
echo "where the class, its constants and the cases are not there yet\n";
$tries = 0;
do {
    child(function () { eval('enum Late { case A; case B; } class Late2 { public $c = Late::A; public ?Late $d = null; }'); $o = new Late2; $o->d = Late::B; VolatileCache::set('late', [$o, Late::A, str_repeat('l', 100)]); });
} while (!child(function () { spl_autoload_register(function ($c) { echo "$c "; VolatileCache::get('a1'); VolatileCache::set('x', 1); eval($c === 'Late' ? 'enum Late { case A; case B; }' : 'class Late2 { public $c = Late::A; public ?Late $d = null; }'); }); $held = hold_all_that_a_request_may(); VolatileCache::has('late') || exit(EVICTED); $got = VolatileCache::get('late'); var_dump($got[0]->d === Late::B, $got[0]->c === $got[1], strlen($got[2])); }) && ++$tries < 50);
echo "and memory\n";
$held = hold_all_that_a_request_may();
foreach ($values as $k => $v) VolatileCache::set($k, $v);
foreach (['leaf', 'list', 'case', 'state'] as $k) {
    $run = function ($n) use ($k) { for ($i = 0; $i < $n; $i++) { VolatileCache::get($k); if ($i % 50 === 0) gc_collect_cycles(); } gc_collect_cycles(); return memory_get_usage(); };
    $run(100); $before = $run(100); var_dump($run(1000) === $before);
}
unset($values, $leaf, $state);
gc_collect_cycles();
--EXPECT--
int(40)
int(40)
int(40)
int(40)
int(40)
where the class, its constants and the cases are not there yet
Late2 Late bool(true)
bool(true)
int(100)
and memory
bool(true)
bool(true)
bool(true)
bool(true)
