--TEST--
larder: broadcast: its properties cannot be changed indirectly, as readonly ones
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Broadcast;

error_reporting(E_ALL & ~E_DEPRECATED); // PHP 8.5 deprecates ++ on a string

$flags = Broadcast::open('flags');
$changes = [
    'append' => function () use ($flags) { $flags->value[] = 1; },
    'nested' => function () use ($flags) { $flags->value['list'][0]++; },
    'reference' => function () use ($flags) { $reference = &$flags->value; $reference = 1; },
    'by reference' => function () use ($flags) { sort($flags->value); },
    'unset' => function () use ($flags) { unset($flags->value['list']); },
    'increment' => function () use ($flags) { $flags->value++; },
    'foreach' => function () use ($flags) { foreach ($flags->value as &$element) { $element = 1; } },
    'version' => function () use ($flags) { $reference = &$flags->version; $reference = 1; },
];
foreach ([null, ['list' => [1, 2]], 'text'] as $value) {
    $flags->publish($value);
    foreach ($changes as $name => $change) {
        try {
            $change();
            echo "$name: changed\n";
        } catch (Error $error) {
            if ($error->getMessage() !== 'Cannot modify property Larder\Broadcast::$' . ($name === 'version' ? 'version' : 'value') . '; see publish()') {
                echo "$name: ", $error->getMessage(), "\n";
            }
        }
    }
    var_dump($flags->value === $value);
}
// an object in the property can be changed, and the property still contains this object
$flags->publish((object) ['a' => 1]);
$object = &$flags->value;
$object->b = 2;
$flags->value->c = 3;
$object = null;
var_dump($flags->value == (object) ['a' => 1, 'b' => 2, 'c' => 3]);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
