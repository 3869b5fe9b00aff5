--TEST--
larder: object: an entry that is one plain object
--EXTENSIONS--
larder
--INI--
larder.volatile_size=4M
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
use Larder\VolatileCache;

function child(Closure $run): void { if (($pid = pcntl_fork()) === 0) { try { $run(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } exit; } pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }
function same(string $what, mixed $object): void
{
    VolatileCache::set('k', $object);
    $object = unserialize(serialize($object)); // after unserialize(), an unset property has its default again
    $got = VolatileCache::get('k');
    $other = VolatileCache::get('k');
    ob_start(); var_dump($object); $text = preg_replace('/#\d+/', '', ob_get_clean());
    ob_start(); var_dump($got); $text === preg_replace('/#\d+/', '', ob_get_clean()) || print("$what differs\n");
    echo $what, ': ', serialize($got) === serialize($object) && $got == $object && $got !== $other ? 'same' : 'OTHER', "\n";
}

class None {}
class Few { public int $id = 1; protected string $name = 'a name that is not so short'; private array $list = [1, 'two' => ['three']]; public ?self $none = null; public float $f = 1.5; }
class Child extends Few { private array $list = ['another']; public int $unset; }
class Guarded { private array $data = ['a' => 1]; public $x = 2; function __get($name) { return $this->data[$name] ?? "no $name"; } function __isset($name) { return true; } }
class Ending { public int $id = 5; function __destruct() { echo "end {$this->id}\n"; } }
eval('class Wide { ' . implode(' ', array_map(fn($i) => "public \$p$i = $i;", range(1, 70))) . ' }');
same('no properties', new None);
same('stdClass', new stdClass);
same('few', new Few);
same('inherited, and one not initialised', new Child);
same('guarded', new Guarded);
same('wide', new Wide);
$got = VolatileCache::get('k');
unset($got->p3);
same('one unset', $got);
$got->p70 = $got->p69 = [[1], [2]];
same('with arrays', $got);
VolatileCache::set('k', new Guarded);
$got = VolatileCache::get('k');
echo $got->a, ' ', $got->b, "\n";

echo "what is changed is its own: ";
VolatileCache::set('k', new Few);
$got = VolatileCache::get('k');
$got->id = 2; $got->none = new Few; $got->f = INF;
echo VolatileCache::get('k')->id, ' ', var_export(VolatileCache::get('k')->none, true), "\n";

echo "numbers of objects are used again: ";
VolatileCache::set('k', new None);
$ids = [];
for ($i = 0; $i < 1000; $i++) { $got = null; $got = VolatileCache::get('k'); $ids[spl_object_id($got)] = true; }
echo count($ids), ", and each has its own: ";
$all = [];
for ($i = 0; $i < 5000; $i++) $all[] = VolatileCache::get('k');
echo count(array_unique(array_map(spl_object_id(...), $all))), "\n";
$all = null;

VolatileCache::set('k', new Ending);
$got = VolatileCache::get('k');
$got->id = 6;
$got = null;

VolatileCache::set('late', eval('class Late { public int $id = 7; } return new Late;'));
child(function () { // this child inherits the class from its parent
    echo VolatileCache::get('late')->id, "\n";
});
$code = 'class Later { public int $id = 8; }';
child(function () use ($code) { eval($code); VolatileCache::set('later', new Later); });
echo "a class that is not there is asked for once: ";
child(function () {
    spl_autoload_register(function ($c) { echo "$c "; });
    $before = VolatileCache::info()->misses;
    var_dump(VolatileCache::get('later', 'a miss'), VolatileCache::info()->misses - $before);
});
echo "a loader that throws: ";
child(function () { spl_autoload_register(function ($c) { throw new LogicException("no $c"); }); VolatileCache::get('later'); });
echo "a loader that replaces the entry: ";
child(function () use ($code) {
    spl_autoload_register(function ($c) use ($code) { VolatileCache::set('later', 'replaced'); for ($i = 0; $i < 200; $i++) VolatileCache::set("fill $i", str_repeat("$i", 5000)); eval($code); });
    echo VolatileCache::get('later')->id, ' ', VolatileCache::get('later'), "\n";
});
echo "another class of that name: ";
VolatileCache::set('late', 0);
child(function () use ($code) { eval($code); VolatileCache::set('later', new Later); });
child(function () { eval('class Later { public string $id = "8"; }'); var_dump(VolatileCache::get('later', 'a miss')); });
echo "an enum: ";
child(function () { eval('enum Later: int { case A = 1; }'); var_dump(VolatileCache::get('later', 'a miss')); });

class Circle { public ?Circle $self = null; function __destruct() { echo "end of a circle\n"; $this->self = null; } }
$circle = new Circle;
VolatileCache::set('k', $circle);
$got = VolatileCache::get('k'); // its destructor runs at the end of the script
$got->self = $got;
$left = $got;

echo "one that may not be held: ";
for ($i = 0; $i < 1200; $i++) VolatileCache::set("a$i", [[$i]]);
for ($i = 0, $held = []; $i < 1200; $i++) $held[] = VolatileCache::get("a$i");
VolatileCache::set('k', new Few);
$got = VolatileCache::get('k');
class Other { public int $id = 1; public string $name = 'something else of this size'; public array $list = [2, 'one' => ['four']]; public ?self $none = null; public float $f = 2.5; }
for ($i = 0; $i < 40000; $i++) { VolatileCache::set('k', new Other); VolatileCache::get('k'); }
echo serialize($got) === serialize(new Few) ? 'same' : 'OTHER', "\n";
?>
--EXPECT--
no properties: same
stdClass: same
few: same
inherited, and one not initialised: same
guarded: same
wide: same
one unset: same
with arrays: same
1 no b
what is changed is its own: 1 NULL
numbers of objects are used again: 1, and each has its own: 5000
end 5
end 6
7
a class that is not there is asked for once: Later string(6) "a miss"
int(1)
a loader that throws: LogicException: no Later
a loader that replaces the entry: 8 replaced
another class of that name: string(6) "a miss"
an enum: string(6) "a miss"
one that may not be held: same
end of a circle
end of a circle
