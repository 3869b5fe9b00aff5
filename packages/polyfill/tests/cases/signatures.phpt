--TEST--
polyfill: every public class and function has the signatures of the extension
--FILE--
<?php
$project = getenv('LARDER_PROJECT');
$text = preg_replace('~/\*.*?\*/~s', '', file_get_contents("$project/packages/php/stubs/larder.php"));
preg_match_all('/^(?:final )?(class|enum) (\w+)[^{]*\{\n(.*?)^\}$/ms', $text, $classes, PREG_SET_ORDER);
$plain = fn(string $line) => preg_replace('/\s+/', ' ', str_replace('"', "'", $line));
$seen = 0;
foreach ($classes as [, $_, $name, $body]) {
    class_exists("Larder\\$name") || print("$name is missing\n");
    $source = $plain(file_get_contents("$project/packages/polyfill/src/$name.php"));
    preg_match_all('/(?:public|case) [^;{]*[;{]/', $body, $lines);
    foreach ($lines[0] as $line) {
        $seen++;
        $line = trim($plain($line), ' {;');
        if ($name !== 'VolatileStatic' && !str_contains($source, $line)) {
            echo "$name: $line\n";
        }
    }
}
var_dump(count($classes) > 14, $seen > 150, function_exists('Larder\scope'));
var_dump((string) (new ReflectionMethod(Larder\VolatileStatic::class, '__construct'))->getParameters()[0]->getType());
--EXPECT--
bool(true)
bool(true)
bool(true)
string(3) "int"
