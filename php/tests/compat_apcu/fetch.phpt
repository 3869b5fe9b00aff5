--TEST--
larder: compat_apcu: apcu_fetch() gives values, false for a miss, and $success
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

apcu_store(['a' => 1, 'b' => [1, 2], 'false' => false]);
show(apcu_fetch('a', $s), $s, apcu_fetch('none', $s), $s, apcu_fetch('false', $s), $s);
show(apcu_fetch(['a', 'b', 'none'], $s), $s, apcu_fetch(['none'], $s), $s, apcu_fetch([], $s), $s);
class P { public int $typed = 3; public bool $flag = false; }
$p = new P; apcu_fetch('a', $p->typed); apcu_fetch('a', $p->flag); show($p);
$array = ['x' => ['y' => null]]; apcu_fetch('none', $array['x']['y']); show($array);
$key = 'a'; $keys = [&$key]; show(apcu_fetch($keys));
$b = apcu_fetch('b'); $b[] = 3; show($b, apcu_fetch('b'));
thrown(fn() => apcu_fetch());
--EXPECT--
1 true false false false true 
{"a":1,"b":[1,2]} true [] true [] true 
{"typed":1,"flag":true} 
{"x":{"y":false}} 
{"a":1} 
[1,2,3] [1,2] 
ArgumentCountError: apcu_fetch() expects at least 1 argument, 0 given
