--TEST--
larder: compat_apcu: a fetched value of any kind stays unchanged when its entry is replaced, deleted or cleared
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

$values = fn(int $n): array => ['string' => str_repeat("text $n ", 1000), 'array' => ['n' => $n, 'list' => range($n, $n + 200)], 'object' => new ArrayObject(range(0, $n % 50)), 'nested' => [[(object) ['n' => $n]]]];
apcu_store($values(1));
$held = apcu_fetch(array_keys($values(1)));
$steps = [fn() => apcu_store($values(2)), fn() => apcu_delete(array_keys($values(1))), fn() => apcu_store($values(3)), fn() => apcu_clear_cache()];
foreach ($steps as $i => $step) {
    $step();
    for ($n = 0; $n < 300; $n++) apcu_store('other' . $n % 20, str_repeat((string) $n, 5000));
    if ($held != $values(1)) echo "changed by step $i\n";
}
$copy = $held; $copy['array']['list'][] = 'mine'; $copy['object'][] = 1;
show(apcu_exists(array_keys($held)), count($held['array']['list']), count($copy['array']['list']));
--EXPECT--
[] 201 202 
