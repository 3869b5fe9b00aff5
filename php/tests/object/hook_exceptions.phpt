--TEST--
larder: object: an exception in a hook reaches the caller; the entry stays; half-built objects do not run destructors
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Log { static array $log = []; static function take() { $log = implode(' ', self::$log); self::$log = []; return $log; } }
class Plain { function __construct(public $name, public $inner = null) {} function __destruct() { Log::$log[] = "~$this->name"; } }
class State { static $bad; function __construct(public $name, public $inner = null) {} function __serialize(): array { if (self::$bad === $this->name) throw new LogicException("serialize $this->name"); return [$this->name, $this->inner]; }
    function __unserialize(array $d): void { [$this->name, $this->inner] = $d; if (self::$bad === $this->name) throw new LogicException("unserialize $this->name"); Log::$log[] = $this->name; } function __destruct() { Log::$log[] = "~$this->name"; } }
class Sleeper { static $bad; function __construct(public $name, public $inner = null) {} function __sleep() { if (self::$bad === $this->name) throw new LogicException("sleep $this->name"); return ['name', 'inner']; }
    function __wakeup() { if (self::$bad === $this->name) throw new LogicException("wakeup $this->name"); Log::$log[] = $this->name; } function __destruct() { Log::$log[] = "~$this->name"; } }
function make($last) { return [new Plain('p1'), new State('s1', new Sleeper('w1')), ['deep' => new Sleeper('w2', new Plain('p2', new State('s2')))], new State('s3', $last), new Plain('p3')]; }
function attempt(callable $do) { try { $do(); echo 'no exception'; } catch (Throwable $e) { echo get_class($e), ' ', $e->getMessage(); unset($e); } gc_collect_cycles(); echo '; ', Log::take(), "\n"; }

$value = make(null);
VolatileCache::set('k', 'old');
foreach (['s1', 's2', 's3'] as State::$bad) attempt(fn() => VolatileCache::set('k', $value));
State::$bad = null;
foreach (['w1', 'w2'] as Sleeper::$bad) attempt(fn() => VolatileCache::set('k', $value));
Sleeper::$bad = null;
var_dump(VolatileCache::get('k'));
attempt(fn() => VolatileCache::setMultiple(['k' => 'new', 'bad' => fn() => 1]));
var_dump(VolatileCache::get('k'));

echo "reading\n";
VolatileCache::set('k', $value);
$text = serialize($value);
unset($value);
Log::take();
$same = true;
foreach (['State' => ['s1', 's2', 's3'], 'Sleeper' => ['w1', 'w2']] as $class => $names) {
    foreach ($names as $class::$bad) {
        ob_start(); attempt(fn() => unserialize($text)); $wanted = ob_get_clean();
        ob_start(); attempt(fn() => VolatileCache::get('k')); $got = ob_get_clean();
        echo $got, $got === $wanted ? '' : "  unlike unserialize(): $wanted";
        ob_start(); attempt(fn() => VolatileCache::getMultiple(['none', 'k'])); if (ob_get_clean() !== $wanted) echo "  getMultiple() differs\n";
    }
    $class::$bad = null;
}
attempt(fn() => VolatileCache::get('k'));
var_dump(VolatileCache::has('k'));
--EXPECT--
LogicException serialize s1; 
LogicException serialize s2; 
LogicException serialize s3; 
LogicException sleep w1; 
LogicException sleep w2; 
string(3) "old"
TypeError Larder\VolatileCache::setMultiple(): Argument #1 ($values) must not contain an instance of Closure, found at $values['bad']; 
string(3) "old"
reading
LogicException unserialize s1; w1 ~p1 ~p2 ~p3 ~w1
LogicException unserialize s2; w1 s1 ~p1 ~s1 ~w1 ~p2 ~p3
LogicException unserialize s3; w1 s1 s2 w2 ~p1 ~s1 ~w1 ~w2 ~p2 ~s2 ~p3
LogicException wakeup w1; ~p1 ~p2 ~p3
LogicException wakeup w2; w1 s1 s2 ~p1 ~s1 ~w1 ~p2 ~s2 ~p3
no exception; w1 s1 s2 w2 s3 ~p1 ~s1 ~w1 ~w2 ~p2 ~s2 ~s3 ~p3
bool(true)
