--TEST--
larder: array: arrays of every shape come back the same, with the next key and the pointer of unserialize()
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

function same($name, $value) {
    VolatileCache::set('k', $value);
    $got = VolatileCache::get('k');
    $value = unserialize(serialize($value)); /* resets the pointer and the next key, as a fetch does */
    if ($got !== $value) { echo "$name differs\n"; return; }
    if (serialize($got) !== serialize($value)) echo "$name serializes differently\n";
    if (current($got) !== current($value) || key($got) !== key($value)) echo "$name: other internal pointer\n";
    $a = $got; $b = $value;
    try { $a[] = 'next'; } catch (Error $e) { $a = get_class($e); }
    try { $b[] = 'next'; } catch (Error $e) { $b = get_class($e); }
    if ($a !== $b) { echo "$name: another next key\n"; }
    $again = VolatileCache::get('k');
    if ($again !== $value) echo "$name was changed\n";
}

same('empty', []);
same('list', [1, 2, 3]);
same('nested', ['a' => ['b' => ['c' => [1, 'x' => null]]], 'e' => []]);
same('mixed keys', [5 => 'a', 'x' => 1.5, -7 => true, '08' => false, '' => null, "\0" => "\0"]);
$a = range(0, 20); unset($a[3], $a[20]); same('list with holes', $a);
$a = range(0, 20); foreach (range(0, 19) as $i) unset($a[$i]); same('list with one left', $a);
$a = ['a' => 1, 'b' => 2, 'c' => 3, 'd' => 4]; unset($a['a'], $a['c']); same('hash with holes', $a);
$a = []; for ($i = 0; $i < 1000; $i++) $a["k$i"] = $i; for ($i = 0; $i < 1000; $i++) if ($i % 7) unset($a["k$i"]); same('sparse hash', $a);
$a = [1]; array_pop($a); same('emptied by pop', $a);
$a = [1, 2]; unset($a[0], $a[1]); same('emptied by unset', $a);
$a = ['x' => 1]; unset($a['x']); same('emptied hash', $a);
same('nested empties', [[], [[]], ['a' => []]]);
$e = [1, 2, 3]; unset($e[0], $e[1], $e[2]); same('nested emptied', [$e, []]);
same('max key', [PHP_INT_MAX => 1]);
same('min key', [PHP_INT_MIN => 1]);
$a = [1, 2, 3]; next($a); same('pointer moved', $a);
$a = ['a' => 1, 'b' => 2, 'c' => 3]; next($a); next($a); unset($a['a']); same('pointer moved, hole before', $a);
$a = ['a' => 1, 'b' => 2, 'c' => 3]; next($a); unset($a['b']); same('pointer on a hole', $a);
foreach ([7, 8, 9, 15, 16, 17, 63, 64, 65, 1000] as $n) {
    same("list of $n", range(1, $n));
    $a = []; for ($i = 0; $i < $n; $i++) $a["key $i"] = "value $i"; same("hash of $n", $a);
}
$a = []; for ($i = 0; $i < 70000; $i++) $a[$i * 3] = $i; same('large hash of ints', $a);
echo "done\n";
--EXPECT--
done
