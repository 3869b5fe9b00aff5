--TEST--
larder: object: classes are loaded when they are needed, also by loaders that use the cache, throw or find nothing
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
use Larder\VolatileCache;

function child(Closure $run): void { if (($pid = pcntl_fork()) === 0) { try { $run(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } gc_collect_cycles(); exit; } pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }
$code = ['Leaf' => 'class Leaf extends Base implements Named { public ?Kind $kind = Kind::A; const X = 1; public $x = self::X; }', 'Base' => 'class Base { public $items = []; }',
    'Named' => 'interface Named {}', 'Kind' => 'enum Kind: int { case A = 1; case B = 2; }', 'Lone' => 'class Lone { public $v = 1; }', 'Hooked' => 'class Hooked { public $v; function __serialize(): array { return [$this->v]; } function __unserialize(array $d): void { $this->v = $d[0]; } }'];
$load = fn(string $class) => isset($code[$class]) && eval($code[$class]);
child(function () use ($load) {
    spl_autoload_register($load);
    $leaf = new Leaf; $leaf->kind = Kind::B; $leaf->items = ['l' => $leaf, 'lone' => new Lone]; $hooked = new Hooked; $hooked->v = $leaf;
    VolatileCache::set('k', [$leaf, new Lone, $hooked, 'long' => str_repeat('x', 200)]);
    VolatileCache::set('other', ['o' => new Lone, 'list' => [1, 2, 3]]);
});
$show = function ($got) { echo is_array($got) ? get_class($got[0]) . ' ' . $got[0]->kind->name . ' ' . var_export($got[0]->items['l'] === $got[2]->v, true) . ' ' . strlen($got['long']) : json_encode($got), "\n"; };

echo "in order, each once:\n";
child(function () use ($load, $show) { spl_autoload_register(function ($c) use ($load) { echo "$c "; $load($c); }); $show(VolatileCache::get('k')); $show(VolatileCache::get('k')); });
echo "none: ";
child(fn() => $show(VolatileCache::get('k', 'a miss')));
echo "finds all but one: ";
child(function () use ($load, $show) { spl_autoload_register(fn($c) => $c !== 'Lone' && $load($c)); $show(VolatileCache::get('k', 'a miss')); var_dump(VolatileCache::has('k')); eval('class Lone { public $v; }'); $show(VolatileCache::get('k')); });
echo "throws: ";
child(function () use ($load, $show) { spl_autoload_register(fn($c) => $c === 'Lone' ? throw new LogicException("no $c") : $load($c)); $show(VolatileCache::get('k', 'a miss')); });
echo "throws only once: ";
child(function () use ($load, $show) { $n = 0; spl_autoload_register(function ($c) use ($load, &$n) { if ($n++ === 0) throw new LogicException("no $c"); $load($c); }); try { VolatileCache::get('k'); } catch (LogicException $e) { echo $e->getMessage(), ' '; } $show(VolatileCache::get('k')); });
echo "reads and writes the cache, the same key too: ";
child(function () use ($load, $show) {
    spl_autoload_register(function ($c) use ($load) {
        VolatileCache::set('k', 'replaced'); VolatileCache::delete('k'); VolatileCache::set("loaded $c", [$c]);
        for ($i = 0; $i < 200; $i++) VolatileCache::set("fill $i", str_repeat("$i", 5000));
        if ($c === 'Leaf') VolatileCache::get('other');
        $load($c);
    });
    $show(VolatileCache::get('k')); var_dump(VolatileCache::get('k'), VolatileCache::get('loaded Leaf'));
});
child(function () use ($load) { spl_autoload_register($load); $leaf = new Leaf; $leaf->items['l'] = $leaf; $hooked = new Hooked; $hooked->v = $leaf; VolatileCache::set('k', [$leaf, new Lone, $hooked, 'long' => '']); });
echo "ends the process: ";
child(function () use ($show) { spl_autoload_register(function ($c) { echo "exit in $c\n"; exit; }); $show(VolatileCache::get('k')); });
echo "a fetch past the bounds: ";
child(function () use ($load, $show) {
    $held = hold_all_that_a_request_may();
    spl_autoload_register(function ($c) use ($load) { VolatileCache::get('other'); $load($c); });
    $show(VolatileCache::get('k'));
});
echo "and one whose loader replaces the value: ";
child(function () use ($load, $show) {
    $held = hold_all_that_a_request_may();
    spl_autoload_register(function ($c) use ($load) { VolatileCache::set('k', "replaced by $c"); for ($i = 0; $i < 200; $i++) VolatileCache::set("fill $i", str_repeat("$i", 5000)); $load($c); });
    $show(VolatileCache::get('k'));
});
--EXPECT--
in order, each once:
Leaf Base Named Kind Lone Hooked Leaf B true 200
Leaf B true 200
none: "a miss"
finds all but one: "a miss"
bool(false)
Leaf B true 200
throws: LogicException: no Lone
throws only once: no Leaf Leaf B true 200
reads and writes the cache, the same key too: Leaf B true 200
NULL
array(1) {
  [0]=>
  string(4) "Leaf"
}
ends the process: exit in Leaf
a fetch past the bounds: Leaf A true 0
and one whose loader replaces the value: "replaced by Hooked"
