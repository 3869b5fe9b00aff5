--TEST--
larder: compat_apcu: apcu_fetch() writes $success wherever a reference can be taken, and leaves it where it throws
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

final class Typed { public bool $flag = false; public ?int $number = null; public array $list = []; }
class Bad { public function __wakeup(): void { throw new RuntimeException('no'); } }
apcu_store(['a' => 1, 'bad' => new Bad]);
$typed = new Typed;
apcu_fetch('a', $typed->flag); apcu_fetch('none', $typed->number);
show($typed->flag, $typed->number);
try { apcu_fetch('a', $typed->list); } catch (TypeError) { echo "not an array\n"; }
apcu_fetch('a', $array['new']['deep']); show($array);
$s = 'kept';
try { apcu_fetch('bad', $s); } catch (RuntimeException $e) { show($e->getMessage(), $s); }
const LIST_OF = ['a', 'none'];
show(apcu_fetch(LIST_OF, $s), $s, apcu_fetch([], $s), $s);
--EXPECT--
true 1 
not an array
{"new":{"deep":true}} 
"no" "kept" 
{"a":1} true [] true 
