--TEST--
polyfill: every public method and function refuses an argument too many, in the words of the extension
--SKIPIF--
<?php if (!is_file(getenv('LARDER_PROJECT') . '/php/modules/larder.so')) die('skip the extension is not built'); ?>
--FILE--
<?php
$project = getenv('LARDER_PROJECT');
$run = fn(string $setting): array => json_decode((string) shell_exec(implode(' ', array_map(escapeshellarg(...),
    [PHP_BINARY, '-n', '-d', $setting, "$project/packages/polyfill/tests/too_many.php"]))), true, 512, JSON_THROW_ON_ERROR);
$wanted = $run("extension=$project/php/modules/larder.so");
$found = $run("auto_prepend_file=$project/packages/polyfill/autoload.php");
foreach ($wanted + $found as $name => $_) {
    if (($found[$name] ?? 'missing') !== ($wanted[$name] ?? 'missing')) {
        echo "$name: ", $found[$name] ?? 'missing', "\n    expected: ", $wanted[$name] ?? 'missing', "\n";
    }
}
var_dump(count($wanted) > 120, array_filter($wanted, fn(string $answer) => !str_starts_with($answer, 'ArgumentCountError: ')));
--EXPECT--
bool(true)
array(0) {
}
