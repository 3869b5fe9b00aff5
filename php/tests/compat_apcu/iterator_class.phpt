--TEST--
larder: compat_apcu: APCUIterator is an Iterator that can be extended, and not cloned or taken by reference
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

final class Doubled extends APCUIterator { public array $log = []; public function current(): mixed { $this->log[] = $this->key(); return parent::current()['value'] * 2; } }
apcu_store(['a' => 1, 'b' => 2]);
$it = new Doubled('/[ab]/', APC_ITER_VALUE);
$values = iterator_to_array($it); ksort($values); sort($it->log);
show($values, $it->log, $it instanceof Iterator, is_callable([$it, 'getTotalCount']));
$it = new APCUIterator('/a/', APC_ITER_VALUE);
show(iterator_to_array(new LimitIterator($it, 0, 1)), iterator_count(new IteratorIterator($it)));
thrown(fn() => clone $it);
thrown(function () use ($it) { foreach ($it as $key => &$value); });
thrown(fn() => $it['a']);
foreach ((new ReflectionClass('APCUIterator'))->getMethods() as $m) echo $m->getName(), '(', $m->getNumberOfRequiredParameters(), ' of ', $m->getNumberOfParameters(), ')', ' ';
--EXPECT--
{"a":2,"b":4} ["a","b"] true true 
{"a":{"value":1}} 1 
Error: Trying to clone an uncloneable object of class APCUIterator
Error: An iterator cannot be used with foreach by reference
Error: Cannot use object of type APCUIterator as array
__construct(0 of 4) rewind(0 of 0) next(0 of 0) valid(0 of 0) key(0 of 0) current(0 of 0) getTotalHits(0 of 0) getTotalSize(0 of 0) getTotalCount(0 of 0) 
