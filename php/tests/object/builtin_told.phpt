--TEST--
larder: object: object storages are asked by a call of their own __serialize(), once per measuring; queues are read
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Loud { public $v; public function __construct($v = 0) { $this->v = $v; } public function __destruct() { echo "~{$this->v} "; } }
class Hooked { public $v; public $hooks = 0; public function __construct($v = 0) { $this->v = $v; } public function __serialize(): array { echo "s{$this->v} "; return [$this->v]; } public function __unserialize(array $d): void { echo "u$d[0] "; $this->v = $d[0]; } }
class ByValue extends SplObjectStorage { public function getHash($o): string { return 'h' . $o->v; } }
#[AllowDynamicProperties]
class Named extends SplQueue { public $name = 'n'; protected $more = [1]; private $own; public function __construct() { $this->own = new ArrayObject([1]); } }
class Pusher { public $queue; public function __serialize(): array { if (count($this->queue) < 5) { $this->queue[] = new Hooked('pushed'); } return ['q' => $this->queue]; } public function __unserialize(array $d): void { $this->queue = $d['q']; } }

function same(string $what, callable $make): void
{
    echo str_pad("$what:", 24);
    $value = $make();
    VolatileCache::set('k', $value);
    $got = VolatileCache::get('k');
    echo '| ', serialize($got) === serialize(unserialize(serialize($make()))) ? 'the same' : "WRONG\n" . serialize($got), "\n";
}
same('queue', fn() => (function () { $q = new SplQueue; $q[] = 1; $q[] = 'text'; $q[] = [1, [2]]; $q[] = $q; $q->setIteratorMode(SplQueue::IT_MODE_DELETE); return $q; })());
same('stack', fn() => (function () { $s = new SplStack; $s[] = new stdClass; $s[] = $s[0]; return [$s, $s[0], $s]; })());
same('subclass', fn() => (function () { $q = new Named; $q[] = new Named; $q->added = 'added'; $r = 5; $q->ref = &$r; $q->ref2 = &$r; return $q; })());
same('storage', fn() => (function () { $s = new SplObjectStorage; $s[$a = new stdClass] = ['data', $a]; $s[$s] = new SplObjectStorage; return ['s' => $s, 'a' => $a]; })());
same('storage by value', fn() => (function () { $s = new ByValue; $s[new Hooked(1)] = 'one'; $s[new Hooked(2)] = 'two'; return $s; })());
same('hooks inside', fn() => (function () { $q = new SplQueue; $q[] = new Hooked(1); $s = new SplObjectStorage; $s[new Hooked(2)] = $q; return [$s, new Hooked(3), $q]; })());

echo "changed by a hook: ";
$q = new SplQueue; $q[] = 1; $p = new Pusher; $p->queue = $q; $q[] = $p;
var_dump(VolatileCache::set('k', [$q, 'after']));
$got = VolatileCache::get('k');
var_dump(count($got[0]), $got[0][1]->queue === $got[0], $got[0][2]->v);

echo "nothing is kept: ";
$q = new SplQueue; $q[] = new Loud('queue'); $s = new SplObjectStorage; $s[new Loud('storage')] = 1;
VolatileCache::set('k', [$q, $s]);
unset($q, $s);
echo "then ";
$q = new SplQueue; $q[] = new Loud('refused'); $q[] = fn() => 1;
try { VolatileCache::set('k', $q); } catch (Exception | TypeError $e) { echo get_class($e), ' '; unset($e); }
unset($q);
echo "then ";
$q = new SplQueue; $q[] = new Loud('too large'); $q[] = str_repeat('x', 50 << 20);
var_dump(VolatileCache::set('k', $q));
unset($q);
echo "then ";
VolatileCache::setMultiple(['a' => (function () { $q = new SplQueue; $q[] = new Loud('multiple'); return $q; })()]);
VolatileCache::delete('a'); VolatileCache::delete('k');
echo "done\n";
$q = new SplQueue; for ($i = 0; $i < 20; $i++) $q[] = [$i];
VolatileCache::set('k', $q); VolatileCache::get('k');
$before = memory_get_usage();
for ($i = 0; $i < 20000; $i++) { VolatileCache::set('k', $q); VolatileCache::get('k'); }
var_dump(memory_get_usage() - $before < 5000);
unset($q, $got, $p); gc_collect_cycles();
?>
--EXPECTF--
queue:                  | the same
stack:                  | the same
subclass:               | the same
storage:                | the same
storage by value:       s1 s2 u1 u2 | s1 s2 s1 s2 u1 u2 s1 s2 the same
hooks inside:           s2 s1 s3 u2 u1 u3 | s2 s1 s3 s2 s1 s3 u2 u1 u3 s2 s1 s3 the same
changed by a hook: spushed bool(true)
upushed int(3)
bool(true)
string(6) "pushed"
nothing is kept: ~queue ~storage then TypeError ~refused then 
Warning: Larder\VolatileCache::set(): The value is larger than half of the store; raise larder.volatile_size in %s on line %d
bool(false)
~too large then ~multiple done
bool(true)
