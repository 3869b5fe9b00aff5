--TEST--
larder: compat_user_cache: the default of a miss comes back as it is, for one and for several
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

$c = UserCache\Cache::getPool('defaults');
$object = new ArrayObject([1]);
$c->store('null', null);
foreach ([null, false, 0, 'text', [1], $object] as $default) {
    $all = $c->fetchMultiple(['x', 'null', 7], $default);
    if ($c->fetch('x', $default) !== $default || $c->fetch('null', $default) !== null || $all !== ['x' => $default, 'null' => null, 7 => $default]) echo "differs\n";
}
$value = 'before'; $reference = &$value;
$all = $c->fetchMultiple(['a', 'b'], $reference); $value = 'after';
show($all, $c->fetchMultiple([], 'd'), $c->fetchMultiple(['x', 'x'], 1));
$c->store('soon', 1, 0.05);
usleep(150000);
show($c->fetch('soon', 'default'), $c->fetchMultiple(['soon'], 'default'));
--EXPECT--
{"a":"before","b":"before"} [] {"x":1} 
"default" {"soon":"default"} 
