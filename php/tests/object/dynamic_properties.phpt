--TEST--
larder: object: added properties, whatever their names, beside declared ones that hold strings, arrays and objects
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

#[AllowDynamicProperties] class Open { public $a; protected $b; private $c; public int $never; function fill($a, $b, $c) { [$this->a, $this->b, $this->c] = [$a, $b, $c]; return $this; } }
class Child extends Open { private $c = 'own'; }
$dump = function ($value) { ob_start(); var_dump($value); return preg_replace('/#\d+/', '#', ob_get_clean()); };
$fillings = [[1, 2, 3], [str_repeat('x', 100), 'short', ''], [[1, 2], ['k' => 'v', [3]], []], [new stdClass, ['o' => new Open], new ArrayObject([1])], [null, [str_repeat('y', 500)], Larder\CacheStoreType::NotFound]];
$good = 0;
foreach ([Open::class, Child::class] as $class) foreach ($fillings as $fill) for ($added = 0; $added < 4; $added++) for ($missing = 0; $missing < 2; $missing++) {
    $o = (new $class)->fill(...$fill);
    if ($added > 0) $o->{'0'} = $fill[$added - 1];
    if ($added > 1) { $o->{'-1'} = 'numeric'; $o->{'with space'} = $o; }
    if ($added > 2) $o->{str_repeat('long', 30)} = [$fill[0]];
    if ($missing) unset($o->a);
    VolatileCache::set('k', $o);
    for ($i = 0; $i < 2; $i++) {
        $got = VolatileCache::get('k');
        if ($dump($got) === $dump(unserialize(serialize($o))) && serialize($got) === serialize(unserialize(serialize($o)))) $good++;
        else echo "$class $added $missing\n", $dump($o), $dump($got);
        $got->new = 1; unset($got->{'0'}); $got->a = 'written';
    }
}
var_dump($good);
VolatileCache::set('k', (object) ['x', 'k' => 1, '5' => [new stdClass]]);
$got = VolatileCache::get('k');
var_dump($got->{'0'}, $got->{'5'}[0] == new stdClass, ((array) $got)[5] === $got->{'5'});
foreach ($got as $name => $_) var_dump($name);
unset($o, $got);
gc_collect_cycles();
--EXPECT--
int(160)
string(1) "x"
bool(true)
bool(true)
string(1) "0"
string(1) "k"
string(1) "5"
