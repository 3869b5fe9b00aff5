--TEST--
larder: compat_apcu: what can be stored comes back; what cannot throws what the serializer throws
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }
function thrown(callable $f): void { try { show($f()); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } }

enum Suit: string { case Hearts = 'H'; }
class Sleeper { public $a = 1; function __sleep() { throw new RuntimeException('no sleep'); } }
class Waker { public $a = 1; function __wakeup() { throw new RuntimeException('no waking'); } }
class Typed { function __serialize(): array { throw new TypeError('mine'); } }
$values = [null, false, true, 0, -1, PHP_INT_MAX, 1.5, -0.0, INF, '', 'abc', str_repeat('long ', 100), "\0\xff", [], [1, 2], ['a' => [null, ['b' => true]], 7 => 'x'], range(1, 1000), Suit::Hearts, [Suit::Hearts]];
foreach ($values as $i => $v) if (!apcu_store("v$i", $v) || apcu_fetch("v$i") !== $v) echo "value $i differs\n";
apcu_store('nan', NAN); var_dump(apcu_fetch('nan'));
$object = (object) ['a' => new ArrayObject([1, 2]), 'b' => null]; $object->self = $object;
apcu_store('object', $object); $copy = apcu_fetch('object');
var_dump($copy !== $object, $copy->self === $copy, $copy->a == $object->a);
$x = 5; $refs = [&$x, &$x]; apcu_store('refs', $refs); $copy = apcu_fetch('refs'); $copy[0] = 9; show($copy, $x);
$loop = ['a' => 1]; $loop['self'] = &$loop; apcu_store('loop', $loop); show(apcu_fetch('loop')['self']['self']['a']);
unset($object, $copy, $loop); gc_collect_cycles();
thrown(fn() => apcu_store('k', fn() => 1));
thrown(fn() => apcu_store('k', [1, ['x' => fn() => 1]]));
thrown(fn() => apcu_store('k', (object) ['x' => fn() => 1]));
thrown(fn() => apcu_store('k', new class {}));
thrown(fn() => apcu_add('k', new ReflectionClass('stdClass')));
thrown(fn() => apcu_store('k', new Sleeper));
thrown(fn() => apcu_store('k', new Typed));
thrown(fn() => apcu_store(['before' => 1, 'k' => fn() => 1]));
show(apcu_exists('k'), apcu_fetch('before'));
apcu_store('waker', new Waker);
thrown(fn() => apcu_fetch('waker'));
thrown(fn() => apcu_fetch(['before', 'waker', 'before']));
show(apcu_store('k', [STDIN, 'x']), apcu_fetch('k'), @apcu_store('k', STDIN), error_get_last()['type'] === E_WARNING, apcu_fetch('k'));
--EXPECT--
float(NAN)
bool(true)
bool(true)
bool(true)
[9,9] 5 
1 
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'Closure' is not allowed
Exception: Serialization of 'class@anonymous' is not allowed
Exception: Serialization of 'ReflectionClass' is not allowed
RuntimeException: no sleep
TypeError: mine
Exception: Serialization of 'Closure' is not allowed
false 1 
RuntimeException: no waking
RuntimeException: no waking
true [0,"x"] false true [0,"x"] 
