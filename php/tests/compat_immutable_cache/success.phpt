--TEST--
larder: compat_immutable_cache: immutable_cache_fetch() writes $success wherever a reference can be taken
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

final class Typed { public bool $flag = false; public array $list = []; }
immutable_cache_add('a', 1);
$typed = new Typed;
immutable_cache_fetch('a', $typed->flag); show($typed->flag);
immutable_cache_fetch('none', $typed->flag); show($typed->flag);
try { immutable_cache_fetch('a', $typed->list); } catch (TypeError) { echo "not an array\n"; }
immutable_cache_fetch('none', $array['new']['deep']); show($array);
show(immutable_cache_fetch([], $s), $s, immutable_cache_fetch(['none'], $s), $s);
--EXPECT--
true 
true 
not an array
{"new":{"deep":false}} 
[] true [] true 
