--TEST--
larder: remember: calls in fibers end in any order, and fibers that want one key do not wait for one another
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache as V;

function fiber(string $key, mixed $value): Fiber
{
    return new Fiber(fn() => V::remember($key, function () use ($value) { Fiber::suspend(); return $value; }));
}
/* Makes PHP reuse or unmap the memory of ended fibers. */
function dust(): void { gc_collect_cycles(); $more = new Fiber(fn() => str_repeat('dust', 2000)); $more->start(); }

echo "first in, first out\n";
$a = fiber('a', 1); $b = fiber('b', 2);
$a->start(); $b->start();
$a->resume(); var_dump($a->getReturn()); unset($a); dust();
var_dump(V::remember('c', fn() => 3));
$b->resume(); var_dump($b->getReturn()); unset($b); dust();
var_dump(V::remember('d', fn() => 4));

echo "any order\n";
$fibers = [];
for ($i = 0; $i < 50; $i++) { $fibers[$i] = fiber("n$i", $i); $fibers[$i]->start(); }
mt_srand(5);
$order = range(0, 49);
shuffle($order);
foreach ($order as $i) {
    $fibers[$i]->resume();
    if ($fibers[$i]->getReturn() !== $i || V::get("n$i") !== $i) echo "wrong: $i\n";
    unset($fibers[$i]);
    V::remember("again $i", fn() => V::remember("inner $i", fn() => 1));
}

echo "one key\n";
$a = fiber('config', 'first'); $b = fiber('config', 'second'); $c = fiber('config', 'third');
$a->start(); $b->start(); $c->start();
$b->resume(); var_dump($b->getReturn(), V::remember('config', fn() => 'not computed'));
$a->resume(); var_dump($a->getReturn(), V::get('config'));
$c->resume(); var_dump($c->getReturn(), V::get('config'), V::lock('config'));
V::unlock('config');

echo "outside of fibers\n";
$a = fiber('main', 'of the fiber');
$a->start();
var_dump(V::remember('main', fn() => 'of main'));
$a->resume(); var_dump(V::get('main'));

echo "its own result\n";
$a = new Fiber(function () {
    $f = function () use (&$f) { Fiber::suspend(); return V::remember('own', $f); };
    try { V::remember('own', $f); } catch (Larder\StaticCacheException $e) { return $e->getMessage(); }
});
$a->start(); $a->resume(); var_dump($a->getReturn());

echo "stale\n";
V::remember('old', fn() => 'old', 100, 1000);
$stale = fn($value) => new Fiber(fn() => V::remember('old', function () use ($value) { Fiber::suspend(); return $value; }, 100, 2000));
V::delete('old'); V::set('old', 'stale', 50);
$a = $stale('new'); $b = $stale('newer');
$a->start(); $b->start(); var_dump($b->getReturn());
$a->resume(); var_dump($a->getReturn(), V::get('old'));

echo "dropped while it computes\n";
$a = fiber('gone', 1); $b = fiber('stays', 2);
$a->start(); $b->start(); unset($a); dust();
var_dump(V::has('gone'), V::lock('gone')); V::unlock('gone');
var_dump(V::remember('gone', fn() => 5));
$b->resume(); var_dump($b->getReturn());
var_dump((new Fiber(fn() => V::remember('thrown', fn() => throw new LogicException)))->isStarted());
try { (new Fiber(fn() => V::remember('thrown', fn() => throw new LogicException)))->start(); } catch (LogicException) { }
var_dump(V::remember('thrown', fn() => 6));
$left = fiber('never ended', 7); $left->start();
echo "end\n";
--EXPECT--
first in, first out
int(1)
int(3)
int(2)
int(4)
any order
one key
string(6) "second"
string(6) "second"
string(5) "first"
string(5) "first"
string(5) "third"
string(5) "third"
bool(true)
outside of fibers
string(7) "of main"
string(12) "of the fiber"
its own result
string(54) "remember() of key "own" was called by its own $compute"
stale
string(5) "stale"
string(3) "new"
string(3) "new"
dropped while it computes
bool(false)
bool(true)
int(5)
int(2)
bool(false)
int(6)
end
