--TEST--
larder: compat_apcu: apcu_entry() calls anything that can be called, with the key
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

function int_only(int $key) {}
function two_arguments($a, $b) {}
class Maker { public function __invoke(string $key): string { return "invoked $key"; } public static function make(string $key): string { return "static $key"; } public function of(string $key): array { return [$key]; } }
show(apcu_entry('a', new Maker), apcu_entry('b', 'Maker::make'), apcu_entry('c', ['Maker', 'make']), apcu_entry('d', [new Maker, 'of']), apcu_entry('e', strrev(...)));
show(apcu_entry('f', fn(...$arguments) => $arguments), apcu_entry('g', function () { return func_num_args(); }), apcu_entry('h', function () {}), apcu_exists('h'));
show(apcu_entry(7, fn($key) => gettype($key)), apcu_fetch('7'), apcu_entry('default', fn(string $key, $second = 'second') => $second));
foreach (['no_such', ['Maker', 'none'], 'Maker::of', [], null, 5] as $callback) thrown(fn() => apcu_entry('x', $callback));
thrown(fn() => apcu_entry('y', 'int_only'));
thrown(fn() => apcu_entry('y', 'two_arguments'));
thrown(fn() => apcu_entry([], fn() => 1));
show(apcu_exists(['x', 'y']), apcu_entry('y', fn() => 'fine'));
--EXPECT--
"invoked a" "static b" "static c" ["d"] "e" 
["f"] 1 null true 
"string" "string" "second" 
TypeError: apcu_entry(): Argument #2 ($callback) must be a valid callback, function "no_such" not found or invalid function name
TypeError: apcu_entry(): Argument #2 ($callback) must be a valid callback, class Maker does not have a method "none"
TypeError: apcu_entry(): Argument #2 ($callback) must be a valid callback, non-static method Maker::of() cannot be called statically
TypeError: apcu_entry(): Argument #2 ($callback) must be a valid callback, array callback must have exactly two members
TypeError: apcu_entry(): Argument #2 ($callback) must be a valid callback, no array or string given
TypeError: apcu_entry(): Argument #2 ($callback) must be a valid callback, no array or string given
TypeError: int_only(): Argument #1 ($key) must be of type int, string given
ArgumentCountError: Too few arguments to function two_arguments(), 1 passed and exactly 2 expected
TypeError: apcu_entry(): Argument #1 ($key) must be of type string, array given
[] "fine" 
