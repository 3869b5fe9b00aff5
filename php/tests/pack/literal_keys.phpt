--TEST--
larder: pack: keys of unpacked arrays are the program's literals where it has them, and its arrays are its own
--EXTENSIONS--
larder
--INI--
larder.enable_cli=1
larder.form=packed
larder.volatile_size=16M
--FILE--
<?php
use Larder\VolatileCache as Cache;

function check(string $what, bool $good): void { if (!$good) echo "$what\n"; }

/* Use literals of this program as keys, computed keys, and both. After 16 computed keys, a read stops searching the literals. */
$made = array_map(fn(int $i) => 'made_' . md5((string) $i), range(1, 60));
$lists = [['identifier', 'name_of_it', 'to', 'created_at_time', 'a'], $made, array_merge(array_slice($made, 0, 30), ['identifier', 'to', 'of']), [$made[0], 'name_of_it']];
foreach ($lists as $number => $keys) {
    $rows = [];
    for ($i = 0; $i < 12; $i++) $rows[] = array_combine($keys, array_map(fn(string $key) => "$key $i", $keys));
    Cache::set("rows $number", $rows);
    check('is not packed', Cache::keyInfo("rows $number")->form === 'packed');
    for ($round = 0; $round < 3; $round++) {
        $got = Cache::get("rows $number");
        check("list $number: another value", $got === $rows);
        foreach ($got as $i => $row) {
            foreach ($keys as $key) check("no $key", isset($row[$key]));
            $row["new_$i"] = 1;
            unset($row[$keys[0]]);
            check('the key is still there', !array_key_exists($keys[0], $row) && count($row) === count($keys) && $got[$i][$keys[0]] === "$keys[0] $i");
            $got[$i] = $row;
        }
        unset($got[0], $row);
        check('a change reached another row', array_keys($got[1]) === [...array_slice($keys, 1), 'new_1']);
        check('a key ended with a row', serialize(Cache::get("rows $number")) === serialize($rows));
    }
}
/* Use keys that differ only in the middle. The code copies short strings in different ways, so use lengths near each limit of a way. */
$keys = [];
foreach ([2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 62, 63, 64, 65] as $length)
    foreach (['x', 'y'] as $middle) $keys[] = substr_replace(str_repeat('k', $length), $middle, intdiv($length, 2), 1);
$value = array_combine($keys, array_map('strrev', $keys));
Cache::set('lengths', [$value, $value]);
check('lengths', Cache::get('lengths') === [$value, $value]);
/* In this value, a key also occurs as a value, and a value as a key. */
$both = [['first' => 'second', 'second' => 'first', 'third' => 'identifier'], ['identifier' => 'third', 7 => 'seven', 'seven' => 7]];
$both = array_fill(0, 5, $both);
Cache::set('both', $both);
check('both', Cache::get('both') === $both);
/* Reads must not leave memory in use. */
Cache::get('rows 2');
$before = memory_get_usage();
for ($i = 0; $i < 2000; $i++) Cache::get('rows ' . $i % 4);
check('reads keep memory', memory_get_usage() - $before < 4096);
echo "done\n";
?>
--EXPECT--
done
