--TEST--
larder: object: a hook of a lazy object runs once, and its answer is what a fetch gets
--EXTENSIONS--
larder
--SKIPIF--
<?php if (PHP_VERSION_ID < 80400) die('skip needs PHP 8.4'); ?>
--FILE--
<?php
use Larder\VolatileCache as V;

class Ran { public static array $ran = []; }
/* The initializer changes $a, so a second call of the hook would have another answer. */
class Told { public mixed $a = 1; public mixed $b = 1; function __construct() { $this->a = $this->b = 'initialised'; }
    function __serialize(): array { Ran::$ran[] = '__serialize'; return [$this->a, $this->b]; } function __unserialize(array $d): void { [$this->a, $this->b] = $d; } }
class Asleep { public mixed $a = 1; public mixed $b = 1; function __construct() { $this->a = $this->b = 'initialised'; }
    function __sleep(): array { Ran::$ran[] = '__sleep'; return ['a']; } function __wakeup(): void { Ran::$ran[] = '__wakeup'; } }
class Bare { public mixed $a = 1; public mixed $b = 1; function __construct() { $this->a = $this->b = 'initialised'; }
    function __unserialize(array $d): void { Ran::$ran[] = '__unserialize'; foreach ($d as $k => $v) $this->$k = $v; } }

function made(string $class, string $kind, int $options): object
{
    $r = new ReflectionClass($class);
    $o = $kind === 'ghost' ? $r->newLazyGhost(fn ($o) => $o->__construct(), $options) : $r->newLazyProxy(fn () => new $class, $options);
    $r->getProperty('a')->setRawValueWithoutLazyInitialization($o, 'raw');
    return $o;
}
/** Counts the calls of the hooks, and compares a fetched value with the result of unserialize(). */
function compare(string $name, Closure $make, Closure $set): void
{
    Ran::$ran = [];
    $wanted = json_encode(unserialize(serialize($make())));
    $calls = Ran::$ran;
    Ran::$ran = [];
    $set($make());
    $got = json_encode(V::get('k'));
    echo $name, ': ', Ran::$ran === $calls ? 'the calls of serialize()' : 'other calls: ' . implode(' ', Ran::$ran) . ', not ' . implode(' ', $calls),
        ', ', $got === $wanted ? 'its object' : "$got, not $wanted", ', ', V::getCacheStoreType('k')->name, "\n";
}
foreach ([Told::class, Asleep::class, Bare::class] as $class) {
    foreach (['ghost', 'proxy'] as $kind) {
        foreach ([0, ReflectionClass::SKIP_INITIALIZATION_ON_SERIALIZE] as $options) {
            $name = "$class, $kind" . ($options ? ', never initialised by serialize()' : '');
            $one = fn () => made($class, $kind, $options);
            compare($name, $one, fn ($v) => V::set('k', $v));
            compare("  with a usual one before it", fn () => [new $class, $one()], fn ($v) => V::set('k', $v));
            compare("  beside another part", fn () => ['x' => [1, 'text'], 'o' => $one(), 'p' => new $class], fn ($v) => V::setMultiple(['k' => $v]));
        }
    }
}
?>
--EXPECT--
Told, ghost: the calls of serialize(), its object, SharedGraph
  with a usual one before it: the calls of serialize(), its object, SharedGraph
  beside another part: the calls of serialize(), its object, SharedGraph
Told, ghost, never initialised by serialize(): the calls of serialize(), its object, SharedGraph
  with a usual one before it: the calls of serialize(), its object, SharedGraph
  beside another part: the calls of serialize(), its object, SharedGraph
Told, proxy: the calls of serialize(), its object, SharedGraph
  with a usual one before it: the calls of serialize(), its object, SharedGraph
  beside another part: the calls of serialize(), its object, SharedGraph
Told, proxy, never initialised by serialize(): the calls of serialize(), its object, SharedGraph
  with a usual one before it: the calls of serialize(), its object, SharedGraph
  beside another part: the calls of serialize(), its object, SharedGraph
Asleep, ghost: the calls of serialize(), its object, PHPSerialized
  with a usual one before it: the calls of serialize(), its object, PHPSerialized
  beside another part: the calls of serialize(), its object, PHPSerialized
Asleep, ghost, never initialised by serialize(): the calls of serialize(), its object, PHPSerialized
  with a usual one before it: the calls of serialize(), its object, PHPSerialized
  beside another part: the calls of serialize(), its object, PHPSerialized
Asleep, proxy: the calls of serialize(), its object, PHPSerialized
  with a usual one before it: the calls of serialize(), its object, PHPSerialized
  beside another part: the calls of serialize(), its object, PHPSerialized
Asleep, proxy, never initialised by serialize(): the calls of serialize(), its object, PHPSerialized
  with a usual one before it: the calls of serialize(), its object, PHPSerialized
  beside another part: the calls of serialize(), its object, PHPSerialized
Bare, ghost: the calls of serialize(), its object, PHPSerialized
  with a usual one before it: the calls of serialize(), its object, PHPSerialized
  beside another part: the calls of serialize(), its object, PHPSerialized
Bare, ghost, never initialised by serialize(): the calls of serialize(), its object, PHPSerialized
  with a usual one before it: the calls of serialize(), its object, PHPSerialized
  beside another part: the calls of serialize(), its object, PHPSerialized
Bare, proxy: the calls of serialize(), its object, PHPSerialized
  with a usual one before it: the calls of serialize(), its object, PHPSerialized
  beside another part: the calls of serialize(), its object, PHPSerialized
Bare, proxy, never initialised by serialize(): the calls of serialize(), its object, PHPSerialized
  with a usual one before it: the calls of serialize(), its object, PHPSerialized
  beside another part: the calls of serialize(), its object, PHPSerialized
