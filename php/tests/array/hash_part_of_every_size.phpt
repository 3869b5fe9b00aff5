--TEST--
larder: array: arrays of 1 to 70 elements have a small hash part, and every function that changes an array does the same to them as to ordinary ones
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

/* Makes the array element by element, so that no part of it lies in opcache's memory. */
function make(string $keys, int $count): array
{
    $array = [];
    for ($i = 0; $i < $count; $i++) {
        $key = match ($keys) { 'names' => "key $i", 'numbers' => $i * 8, 'one chain' => $i << 20, 'mixed' => $i % 2 ? $i * 3 : "m$i", 'both signs' => $i % 2 ? -$i : $i };
        $array[$key] = $i % 3 ? $i : "value $i";
    }
    return $array;
}

$changes = [
    'nothing' => fn(&$a) => 0,
    'append' => function (&$a) { for ($i = 0; $i < 20; $i++) $a[] = $i; },
    'new names' => function (&$a) { for ($i = 0; $i < 40; $i++) $a["new $i"] = $i; },
    'overwrite' => function (&$a) { foreach (array_keys($a) as $key) $a[$key] = [$key]; },
    'unset and insert' => function (&$a) { foreach (array_keys($a) as $n => $key) if ($n % 2 === 0) unset($a[$key]); for ($i = 0; $i < 90; $i++) $a["u$i"] = 1; },
    'unset first, append one by one' => function (&$a) { for ($i = 0; $i < 90; $i++) { unset($a[array_key_first($a)]); $a["x$i"] = $i; } },
    'empty by a loop' => function (&$a) { foreach ($a as $key => $_) unset($a[$key]); $a['again'] = 1; },
    'empty by shifts' => function (&$a) { while ($a !== []) array_shift($a); $a['again'] = 1; },
    'shift' => fn(&$a) => array_shift($a), 'unshift' => fn(&$a) => array_unshift($a, 'first', 'second'), 'pop' => fn(&$a) => array_pop($a), 'push' => fn(&$a) => array_push($a, 1, 2),
    'splice' => fn(&$a) => array_splice($a, 1, 3, ['in']), 'splice out' => fn(&$a) => array_splice($a, 0), 'walk' => fn(&$a) => array_walk($a, function (&$v, $k) { $v = $k; }),
    'sort' => fn(&$a) => sort($a), 'rsort' => fn(&$a) => rsort($a), 'asort' => fn(&$a) => asort($a), 'arsort' => fn(&$a) => arsort($a), 'ksort' => fn(&$a) => ksort($a), 'krsort' => fn(&$a) => krsort($a),
    'usort' => fn(&$a) => usort($a, fn($x, $y) => strcmp((string) $y, (string) $x)), 'uasort' => fn(&$a) => uasort($a, fn($x, $y) => strcmp((string) $y, (string) $x)), 'uksort' => fn(&$a) => uksort($a, fn($x, $y) => strcmp((string) $y, (string) $x)),
    'natsort' => fn(&$a) => natsort($a), 'natcasesort' => fn(&$a) => natcasesort($a), 'shuffle' => function (&$a) { mt_srand(3); shuffle($a); }, 'multisort' => fn(&$a) => array_multisort($a),
    'by reference' => function (&$a) { foreach ($a as $key => &$value) { $value = "$key!"; if (count($a) < 100) $a["r$key"] = 1; } },
    'insert while iterating a copy' => function (&$a) { $b = $a; foreach ($b as $key => $_) { $a["i$key"] = 1; unset($a[$key]); } },
    'object and back' => function (&$a) { $o = (object) $a; $o->added = 1; foreach (array_keys($a) as $n => $key) if ($n % 3 === 0) unset($o->{$key}); $a = (array) $o; },
    'ArrayObject' => function (&$a) { $o = new ArrayObject($a); foreach (array_keys($a) as $n => $key) if ($n % 2) unset($o[$key]); $o['added'] = 1; $o->ksort(); $a = $o->getArrayCopy(); },
    'union' => function (&$a) { $a += ['u' => 1, 'key 1' => 'not taken']; }, 'settype' => fn(&$a) => settype($a, 'object'), 'unserialized' => function (&$a) { $a = unserialize(serialize($a)); $a['w'] = 1; },
    'extract' => function (&$a) { $n = extract($a, EXTR_PREFIX_ALL, 'v'); $a['n'] = $n; }, 'compact keys' => function (&$a) { $a = array_filter($a, fn($v) => is_int($v)); $a[] = 1; },
];

function all(array|object $a): string { $list = []; foreach ($a as $key => $value) $list[] = [$key, $value]; return serialize([$list, is_array($a) ? $a + ['behind'] : 0]); }

$compared = $wrong = 0;
foreach (['names', 'numbers', 'one chain', 'mixed', 'both signs'] as $keys) {
    for ($count = 1; $count <= 70; $count += $count < 34 ? 1 : 6) {
        VolatileCache::set('array', $stored = make($keys, $count));
        foreach (array_keys($stored) as $key) {
            if (VolatileCache::get('array')[$key] !== $stored[$key]) $wrong++;
        }
        foreach (['none', 'key 70', -1000, 4, 1 << 40] as $none) {
            if (isset(VolatileCache::get('array')[$none]) !== isset($stored[$none])) $wrong++;
        }
        foreach ($changes as $name => $change) {
            $ordinary = make($keys, $count);
            $fetched = VolatileCache::get('array');
            $change($ordinary);
            $change($fetched);
            $compared++;
            if (all($ordinary) !== all($fetched) || VolatileCache::get('array') !== $stored) {
                $wrong++;
                echo "$name, $count $keys\n";
            }
        }
    }
}
echo $compared > 7000 ? 'compared' : $compared, ", $wrong wrong\n";

/* For up to 8 elements, the engine's hash part has 64 bytes. Larder stores a hash part of 8 bytes, if this engine supports it. */
$bytes = fn($array) => VolatileCache::set('size', [$array]) ? VolatileCache::keyInfo('size')->size : 0;
$narrow = $bytes(make('numbers', 8)) - $bytes(array_values(make('numbers', 8)));
$wide = $bytes(make('numbers', 100)) - $bytes(array_values(make('numbers', 100)));
var_dump(match ([$narrow, $wide]) {
    [8 * 16, 100 * 16 + 64 * 4 - 8] => 'small hash parts', // 2 slots for 8 elements, 64 slots for a table of 128
    [8 * 16 + 56, 100 * 16 + 256 * 4 - 8] => 'the hash parts of the engine',
    default => [$narrow, $wide],
});
/* PHP 8.2.33 and PHP 8.4 must get small hash parts. Other versions may get the hash parts of the engine. */
var_dump($narrow === 8 * 16 || PHP_VERSION_ID < 80233 || PHP_VERSION_ID >= 80300 && PHP_VERSION_ID < 80400 || PHP_VERSION_ID >= 80500);
--EXPECTF--
compared, 0 wrong
string(%d) "%rsmall hash parts|the hash parts of the engine%r"
bool(true)
