--TEST--
larder: pack: rows in which strings of one key are all new at first, and then occur again
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache as Cache;

function row(int $i, string $name): array {
    return ['id' => $i, 'name' => $name, 'short' => $name[0], 'count' => (string) (1000 + $i), 'time' => date('Y-m-d H:i:s', 86400 * $i), 'kind' => 'a kind'];
}
function check(string $what, array $value): int {
    Cache::set($what, $value, form: 'packed');
    $info = Cache::keyInfo($what);
    echo $what, ': ', Cache::get($what) === $value && $info->form === 'packed' ? 'equal' : 'not equal', "\n";
    return $info->size;
}

$new = fn(int $i) => row($i, "name $i");
check('all new', array_map($new, range(1, 100)));
check('repeated later', [...array_map($new, range(1, 40)), ...array_map($new, range(1, 40))]);
check('repeated elsewhere', [...array_map($new, range(1, 40)), ['other' => 'name 7', 'more' => 'name 39', 'last' => 'a kind', 'new' => 'the last one', 'again' => 'the last one']]);
check('rows in rows', array_map(fn($i) => row($i, "name $i") + ['rows' => [row($i, "inner $i"), row($i, "inner $i")]], range(1, 50)));
check('not only strings', array_map(fn($i) => ['v' => $i % 3 ? "value $i" : $i, 'w' => $i % 5 ? "w $i" : null], range(1, 90)));
check('more lists of keys than the table has', array_map(fn($i) => [["key $i" => "value $i", 'b' => "name $i"], ["key $i" => 'value 3', 'b' => 'name 4']], range(1, 90)));
check('references', array_map(function ($i) { $name = "name $i"; return ['name' => &$name, 'id' => $i]; }, range(1, 40)));
/* Larder compares the strings that the rows have under one key, as long as it finds repetitions. So 300 rows with a few different names take
 * little memory. */
var_dump(check('few names', array_map(fn($i) => ['id' => $i, 'name' => 'a long name of number ' . $i % 12 * $i % 12], range(1, 300))) < 2500);

/* Check that a string that repeats only in later rows is not packed once for each row. */
function late(string $what, string $text): void {
    $rows = array_map(fn($i) => ['id' => $i, 'text' => $i < 20 ? "text $i" : $text], range(1, 400));
    Cache::set($what, $rows, form: 'ready');
    $ready = Cache::keyInfo($what)->size;
    check($what, $rows);
    echo Cache::keyInfo($what)->ready_size < $ready * 1.2 ? 'estimated well' : 'estimated much larger than it is', "\n";
}
late('a short string later', str_repeat('again ', 10));
late('a long string later', str_repeat('again ', 1000));
/* This string is random. If packing wrote it once for each row, compression would not make up for that. */
$long = implode("", array_map(fn($i) => hash("sha512", "$i", true), range(1, 1600)));
late('a long string that cannot be compressed', $long);
?>
--EXPECT--
all new: equal
repeated later: equal
repeated elsewhere: equal
rows in rows: equal
not only strings: equal
more lists of keys than the table has: equal
references: equal
few names: equal
bool(true)
a short string later: equal
estimated well
a long string later: equal
estimated well
a long string that cannot be compressed: equal
estimated well
