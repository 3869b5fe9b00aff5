--TEST--
larder: object: __get, __set, __isset and __unset work, with their guards
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Magic {
    private array $data = ['a' => 1]; public $declared = 'd'; public int $typed;
    function __get($name) { echo "get $name\n"; if ($name === 'deep') return $this->deep ?? 'undefined inside'; return $this->data[$name] ?? null; }
    function __set($name, $value) { echo "set $name\n"; if ($name === 'free') $this->free = $value; else $this->data[$name] = $value; }
    function __isset($name) { echo "isset $name\n"; return isset($this->data[$name]); }
    function __unset($name) { echo "unset $name\n"; unset($this->data[$name]); }
}
$magic = new Magic;
unset($magic->declared);
VolatileCache::set('k', [$magic, new Magic]);
[$m, $n] = VolatileCache::get('k');
var_dump($m->a, isset($m->a), isset($m->none), $m->deep);
$m->b = 2;
unset($m->a);
var_dump($m->b, $n->a, $m->declared, $n->declared);
echo "never initialised: no __get; unset: __get\n";
try { $n->typed; } catch (Error $e) { echo $e->getMessage(), "\n"; }
unset($n->typed);
try { var_dump($n->typed); } catch (Error $e) { echo get_class($e), "\n"; }
@$m->free = 1;
VolatileCache::set('k', $m);
var_dump(array_keys(get_mangled_object_vars(VolatileCache::get('k'))) === ["\0Magic\0data", 'declared', 'free']);
--EXPECT--
get a
isset a
isset none
get deep
isset deep
int(1)
bool(true)
bool(false)
string(16) "undefined inside"
set b
unset a
get b
get a
int(2)
int(1)
string(1) "d"
string(1) "d"
never initialised: no __get; unset: __get
Typed property Magic::$typed must not be accessed before initialization
get typed
TypeError
set free
bool(true)
