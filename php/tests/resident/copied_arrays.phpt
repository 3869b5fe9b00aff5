--TEST--
larder: resident: copies of arrays count what is in them, so that nothing is freed too early
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
enum Level { case Low; case High; }
final readonly class Item { public function __construct(public mixed $v = 1) {} }
$item = new Item([new Item, Level::High]);
VolatileCache::set('k', [$item, Level::Low, 'x' => [Level::High, $item], 'many' => array_fill(0, 100, $item)]);
unset($item);

/* Returns the reference count of the object, from debug_zval_dump(). */
function count_of(object $o): int { ob_start(); debug_zval_dump($o); return preg_match('/refcount\((\d+)\)/', ob_get_clean(), $m) ? (int) $m[1] : -1; }
function counts(): array { return [count_of(Level::Low), count_of(Level::High), count_of(VolatileCache::get('k')[0])]; }

VolatileCache::get('k');
$before = counts();
$copies = [
    'a new element' => function () { $a = VolatileCache::get('k'); $a['n'] = 1; },
    'inside' => function () { $a = VolatileCache::get('k'); $a['many'][] = 1; $a['x'][1] = 2; },
    'of a property' => function () { $a = VolatileCache::get('k')[0]->v; unset($a[0]); },
    'by reference' => function () { $a = VolatileCache::get('k'); foreach ($a as &$v) { $v = 1; break; } },
    'sorted' => function () { $a = VolatileCache::get('k')['many']; usort($a, fn($x, $y) => 0); array_multisort($a); },
    'walked' => function () { $a = VolatileCache::get('k'); array_walk_recursive($a, function (&$v) { $v = is_object($v) ? null : $v; }); },
    'cut' => function () { $a = VolatileCache::get('k'); array_splice($a, 0, 1); array_pop($a); array_shift($a); },
    'list' => function () { $a = VolatileCache::get('k'); [0 => &$x, 'x' => [&$y]] = $a; $x = $y = 1; },
    'extract' => function () { $a = VolatileCache::get('k'); extract($a, EXTR_REFS | EXTR_PREFIX_ALL, 'p'); $p_x = 1; },
    'merged' => function () { $a = array_merge(VolatileCache::get('k'), VolatileCache::get('k')['many'], [...VolatileCache::get('k')['x']]); $a += VolatileCache::get('k'); },
    'ArrayObject' => function () { $a = new ArrayObject(VolatileCache::get('k')); $a[] = 1; unset($a['many']); foreach ($a as $k => $v) $a[$k] = 1; },
    'fixed' => function () { $a = SplFixedArray::fromArray(VolatileCache::get('k')['many']); $a[0] = 1; },
    'arguments' => function () { (function (&...$a) { $a[0] = 1; })(...VolatileCache::get('k')['many']); },
];
foreach ($copies as $name => $copy) {
    for ($i = 0; $i < 50; $i++) $copy();
    gc_collect_cycles();
    $after = counts();
    if ($after !== $before) echo "$name: ", implode(' ', $before), ' -> ', implode(' ', $after), "\n";
}
for ($i = 0; $i < 50; $i++) $others[] = new ArrayObject([$i]); // if an enum case was freed by mistake, these objects take its memory
var_dump(Level::Low, VolatileCache::get('k')[1], VolatileCache::get('k')[0]->v[1]->name, count(VolatileCache::get('k')['many']));
?>
--EXPECT--
enum(Level::Low)
enum(Level::Low)
string(4) "High"
int(100)
