--TEST--
polyfill: every public class, constant, property, method and function is as the extension's, by reflection
--SKIPIF--
<?php if (!is_file(getenv('LARDER_PROJECT') . '/php/modules/larder.so')) die('skip the extension is not built'); ?>
--FILE--
<?php
$project = getenv('LARDER_PROJECT');
$extension = [PHP_BINARY, '-n', '-d', "extension=$project/php/modules/larder.so"];
$run = fn(string ...$command): array => json_decode((string) shell_exec(implode(' ', array_map(escapeshellarg(...), $command))), true, 512, JSON_THROW_ON_ERROR);
$classes = $run(...$extension, ...['-r', 'echo json_encode(array_keys((new ReflectionExtension("larder"))->getClasses()));']);
$program = "$project/packages/polyfill/tests/signatures.php";
$wanted = $run(...$extension, ...[$program, ...$classes]);
$found = $run(PHP_BINARY, '-n', '-d', "auto_prepend_file=$project/packages/polyfill/autoload.php", $program, ...$classes);
foreach ($wanted as $name => $signature) {
    if (($found[$name] ?? 'missing') !== $signature) {
        echo "$name: ", $found[$name] ?? 'missing', "\n    expected: $signature\n";
    }
}
foreach (array_diff_key($found, $wanted) as $name => $signature) {
    echo "$name is not the extension's: $signature\n";
}
var_dump(count($classes) > 14, count($wanted) > 150);
--EXPECT--
bool(true)
bool(true)
