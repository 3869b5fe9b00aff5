--TEST--
larder: object: what PHP does with objects it does with fetched ones
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

class P { private $hidden = 'parent'; protected $list = [1, ['k' => 'v']]; }
#[AllowDynamicProperties] class C extends P implements IteratorAggregate, Countable { public ?C $next = null; public int $typed = 5; private $hidden = 'child'; public $unset = 'u'; function getIterator(): Iterator { return new ArrayIterator(['from' => 'iterator']); } function count(): int { return 42; } function __clone() { if ($this->next) $this->next = clone $this->next; } }
$c = new C; $c->next = new C; $c->added = [true, null, 1.5]; unset($c->unset); $c->next->{'7'} = 'numeric';
VolatileCache::set('k', ['c' => $c, 'o' => (object) ['a' => 1, 'b' => (object) []]]);
$wanted = unserialize(serialize(['c' => $c, 'o' => (object) ['a' => 1, 'b' => (object) []]]));
$functions = [
    'var_dump' => function ($v) { ob_start(); var_dump($v); return preg_replace('/#\d+/', '#', ob_get_clean()); },
    'print_r' => fn($v) => print_r($v, true), 'var_export' => fn($v) => var_export($v, true), 'json_encode' => fn($v) => json_encode($v), 'serialize' => fn($v) => serialize($v),
    'debug_zval' => function ($v) { ob_start(); debug_zval_refcount($v['c']); return ob_get_clean(); },
    'array cast' => fn($v) => [(array) $v['c'], (array) $v['o'], (array) $v['c']->next], 'get_object_vars' => fn($v) => [get_object_vars($v['c']), get_mangled_object_vars($v['c'])],
    'foreach' => function ($v) { $seen = []; foreach ($v['o'] as $k => $x) $seen[] = $k; foreach ($v['c'] as $k => $x) $seen[] = "$k $x"; return $seen; },
    'foreach by reference' => function ($v) { foreach ($v['o'] as $k => &$x) $x = $k; return $v['o']; },
    'count' => fn($v) => [count($v['c']), iterator_to_array($v['c'])],
    'clone' => function ($v) { $copy = clone $v['c']; $copy->next->typed = 9; $copy->added[] = 'more'; return [$v, $copy, $copy->next !== $v['c']->next]; },
    'reflection' => fn($v) => array_map(fn($p) => [$p->getName(), $p->isInitialized($v['c']) ? $p->getValue($v['c']) : 'not initialised', $p->isDefault()], (new ReflectionObject($v['c']))->getProperties()),
    'reflection writes' => function ($v) { $p = new ReflectionProperty('P', 'hidden'); $p->setValue($v['c'], [1]); return $v; },
    'isset, empty, unset' => function ($v) { unset($v['c']->next->next, $v['o']->a); return [isset($v['c']->added[1]), isset($v['c']->unset), empty($v['c']->typed), $v]; },
    'write' => function ($v) { $v['c']->added['k'] = 1; $v['c']->typed++; $v['o']->{'new'} = $v; $v['c']->next->{'7'} .= '!'; unset($v['o']->new); return $v; },
    'array functions' => fn($v) => [array_column([$v['o'], $v['o']], 'a'), in_array($v['c'], [1, $v['c']], true), array_unique([$v['o'], $v['o']], SORT_REGULAR)],
    'compare' => fn($v) => [$v['c'] == $v['c']->next, $v['o'] <=> (object) ['a' => 2, 'b' => 1], $v['c'] == clone $v['c']],
    'bound closure' => fn($v) => Closure::bind(function () { return [$this->hidden, $this->list]; }, $v['c'], P::class)(),
    'var_export and back' => fn($v) => var_export($v['o'], true), 'iterator' => fn($v) => iterator_to_array(new ArrayIterator($v['o'])), 'ArrayObject' => function ($v) { $a = new ArrayObject($v['o']); $a['x'] = 1; return [$v['o'], count($a)]; },
    'settype' => function ($v) { settype($v['o'], 'array'); return $v; }, 'array_walk' => function ($v) { array_walk($v['o'], function (&$x, $k) { $x = $k; }); return $v['o']; },
    'stored again' => function ($v) { VolatileCache::set('again', $v); return VolatileCache::get('again'); },
];
unset($functions['debug_zval']);
foreach ($functions as $name => $f) {
    $results = [];
    foreach ([fn() => unserialize(serialize($wanted)), fn() => VolatileCache::get('k')] as $make) $results[] = $functions['var_dump']($f($make()));
    if ($results[0] !== $results[1]) echo "$name:\n$results[0]\n$results[1]\n";
}
echo "compared ", count($functions), "\n";
var_dump($functions['serialize'](VolatileCache::get('k')) === serialize($wanted), $functions['serialize'](VolatileCache::get('again')) === serialize($wanted));
--EXPECT--
compared 24
bool(true)
bool(true)
