--TEST--
larder: array: strings among other elements come back, and equal ones are stored once, wherever they stand
--EXTENSIONS--
larder
--INI--
larder.volatile_size=8M
--FILE--
<?php
use Larder\VolatileCache;

mt_srand(20);
$pick = fn(int $kind): mixed => match ($kind) {
    0, 1, 2 => str_repeat(chr(97 + mt_rand(0, 25)), mt_rand(0, 40)), // a new string each time; many have equal content
    3 => 'the very same',
    4 => mt_rand(),
    5 => mt_rand() / 3,
    6 => null,
    7 => ['in' => str_repeat('z', mt_rand(1, 30)), 'n' => [mt_rand()]],
    8 => [],
};
$wrong = 0;
for ($round = 0; $round < 400; $round++) {
    $value = [];
    for ($i = mt_rand(1, 90); $i > 0; $i--) {
        $element = $pick(mt_rand(0, 8));
        match ($round % 3) {
            0 => $value[] = $element,
            1 => $value[mt_rand(0, 3) === 0 ? mt_rand() : str_repeat('k', mt_rand(1, 60))] = $element,
            2 => $value["k$i"] = $element,
        };
    }
    if ($round % 5 === 0) {
        unset($value[array_rand($value)]);
    }
    VolatileCache::set('k', $value);
    $wrong += VolatileCache::get('k') !== $value;
}
var_dump($wrong);

// A thousand different zend_strings with equal content, and one string that occurs once.
$size = function (array $value): int {
    VolatileCache::set('k', $value);
    return VolatileCache::keyInfo('k')->size;
};
$once = [str_repeat('q', 30)];
$equal = $mixed = $keys = $differ = [];
for ($i = 0; $i < 1000; $i++) {
    $equal[] = str_repeat('q', 30);
    $mixed[] = $i % 2 === 0 ? $i : str_repeat('q', 30);
    $keys["k$i"] = str_repeat('q', 30);
    $differ["k$i"] = 0;
}
var_dump($size($equal) - $size($mixed), $size($equal) - $size($once) - 999 * 16 < 64, $size($keys) - $size($differ) < 128);

// These values are larger than the store.
$large = [];
for ($i = 0; $i < 100000; $i++) {
    $large["a key $i"] = "a value that is there once, number $i";
}
foreach ([$large, array_keys($large), array_values($large)] as $value) {
    var_dump(@VolatileCache::set('large', $value), VolatileCache::has('large'));
}
--EXPECT--
int(0)
int(0)
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
