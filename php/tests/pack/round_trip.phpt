--TEST--
larder: pack: random strings and arrays are the same after they were packed
--EXTENSIONS--
larder
--INI--
larder.enable_cli=1
larder.form=packed
larder.volatile_size=16M
precision=17
serialize_precision=17
--FILE--
<?php
use Larder\VolatileCache as Cache;

$seed = (int) (getenv('LARDER_SEED') ?: 47);
mt_srand($seed);
$words = ['', 'a', 'id', 'name', 'created_at', '12', '123', '0123', '999999999999999999', '1000000000000000000', '2024-02-29 23:59:59', '2024-13-01 00:00:00',
    '0024-02-29 23:59:59', '9999-12-31 24:00:00', "2024-02-29T23:59:59", "nul\0nul", 'für', str_repeat('long ', 13), str_repeat('longer ', 40), '-5', '1e3', ' 1'];
$ints = [0, 1, 63, 64, 319, 320, 65535, 65536, 4294967295, 4294967296, PHP_INT_MAX, PHP_INT_MIN, -1, -64, -256, -257, -4294967296, -4294967297];
$doubles = [0.0, -0.0, 0.01, 0.1, 19.99, -3.5, 1 / 3, 1e300, 5e-324, NAN, INF, -INF, 999999999.99, 1e9, 123456.789, -0.005];

function value(int $depth): mixed
{
    global $words, $ints, $doubles;
    switch (mt_rand(0, $depth > 0 ? 13 : 7)) {
        case 0: return null;
        case 1: return (bool) mt_rand(0, 1);
        case 2: return $ints[mt_rand(0, count($ints) - 1)];
        case 3: return mt_rand(0, 100000);
        case 4: return $doubles[mt_rand(0, count($doubles) - 1)];
        case 5: return mt_rand(0, 1000000) / 100;
        case 6: return $words[mt_rand(0, count($words) - 1)];
        case 7: return substr(md5((string) mt_rand()), 0, mt_rand(0, 32));
        case 8: return array_map(fn() => mt_rand(0, 1) * 100000 + mt_rand(0, 100000), range(0, mt_rand(0, 20)));
        case 9: return array_map(fn() => value($depth - 1), range(0, mt_rand(0, 6)));
        case 10: // rows
            $rows = [];
            $keys = array_map(fn() => $words[mt_rand(0, count($words) - 1)], range(0, mt_rand(0, 70) === 0 ? 80 : mt_rand(0, 5)));
            for ($i = mt_rand(1, 5); $i > 0; $i--) { $row = []; foreach ($keys as $j => $key) $row[mt_rand(0, 20) === 0 ? $j : $key] = value($depth - 2); $rows[] = $row; }
            return $rows;
        case 11: // holes, and keys of all kinds
            $array = array_map(fn() => value($depth - 2), range(0, mt_rand(1, 9)));
            unset($array[mt_rand(0, 9)], $array[0]);
            return $array;
        case 12:
            $array = [];
            for ($i = mt_rand(0, 5); $i > 0; $i--) $array[mt_rand(0, 1) ? $ints[mt_rand(0, count($ints) - 1)] : $words[mt_rand(0, count($words) - 1)]] = value($depth - 2);
            return $array;
        default: // one array several times
            $one = [value($depth - 2), 'x' => value($depth - 2)];
            return [$one, [$one, 'again' => $one], $one];
    }
}
function next_key(mixed $value): mixed { if (!is_array($value)) return null; try { $value[] = 1; return array_key_last($value); } catch (Error $e) { return $e->getMessage(); } }

$bad = $packed = 0;
for ($i = 0; $i < 50000; $i++) {
    $value = $i % 10 === 0 ? str_repeat(value(0) === null ? 'ab' : md5((string) mt_rand()), mt_rand(1, 200)) : value(4);
    if (!Cache::set('k', $value)) echo "not stored: ", serialize($value), "\n";
    $packed += Cache::keyInfo('k')->size * 2 < strlen(serialize($value)) + 100;
    $got = Cache::get('k');
    if (serialize($got) !== serialize($value) || next_key($got) !== next_key(unserialize(serialize($value)))) {
        if ($bad++ < 3) echo "seed $seed, $i: ", serialize($value), "\n     came back as ", serialize($got), "\n";
    }
    if (is_array($got)) {
        foreach ($got as $key => $one) if (!array_key_exists($key, $got)) echo "seed $seed, $i: no key $key\n";
        $got['written'] = 1;
        if (!isset($got['written'])) echo "seed $seed, $i: not written\n";
    }
}
var_dump($bad, $packed > 40000);
?>
--EXPECT--
int(0)
bool(true)
