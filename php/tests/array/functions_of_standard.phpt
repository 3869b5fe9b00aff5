--TEST--
larder: array: array functions do the same to fetched and ordinary arrays, and never change the cache
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

mt_srand(5);
function differs($f, $make, $fetch) {
    $outcome = function ($get) use ($f) {
        mt_srand(7); $a = $get();
        try { $r = $f($a); } catch (Throwable $e) { $r = get_class($e) . $e->getMessage(); }
        return serialize([$r, $a]);
    };
    return $outcome($make) !== $outcome($fetch);
}

$arrays = [
    'list' => fn() => [3, 1, 2, 3, 1], 'strings' => fn() => ['b', 'a', 'C', 'a', '10', '9'], 'hash' => fn() => ['x' => 1, 'y' => 'two', 'z' => 3.5, 4 => null],
    'rows' => fn() => [['id' => 3, 'n' => 'c'], ['id' => 1, 'n' => 'a'], ['id' => 2, 'n' => 'b']], 'holes' => function () { $a = range(0, 12); unset($a[2], $a[5]); return $a; }, 'empty' => fn() => [],
    'nested' => fn() => ['a' => ['b' => ['c' => 1]], 'd' => [1, [2, [3]]]],
];
$functions = [
    'sort' => fn(&$a) => sort($a), 'rsort' => fn(&$a) => rsort($a), 'asort' => fn(&$a) => asort($a), 'arsort' => fn(&$a) => arsort($a), 'ksort' => fn(&$a) => ksort($a), 'krsort' => fn(&$a) => krsort($a),
    'natsort' => fn(&$a) => @natsort($a), 'usort' => fn(&$a) => usort($a, fn($x, $y) => $x <=> $y), 'uasort' => fn(&$a) => uasort($a, fn($x, $y) => $y <=> $x), 'uksort' => fn(&$a) => uksort($a, fn($x, $y) => strcmp($x, $y)),
    'shuffle' => fn(&$a) => shuffle($a), 'push' => fn(&$a) => array_push($a, 1, [2]), 'pop' => fn(&$a) => array_pop($a), 'shift' => fn(&$a) => array_shift($a), 'unshift' => fn(&$a) => array_unshift($a, 'u'),
    'splice' => fn(&$a) => array_splice($a, 1, 2, ['s']), 'walk' => fn(&$a) => array_walk($a, function (&$v, $k) { $v = [$k, $v]; }), 'walk_recursive' => fn(&$a) => array_walk_recursive($a, function (&$v) { $v = 'w'; }),
    'map' => fn($a) => array_map(fn($v) => [$v], $a), 'map2' => fn($a) => array_map(null, $a, $a), 'filter' => fn($a) => array_filter($a), 'reduce' => fn($a) => array_reduce($a, fn($c, $v) => $c . gettype($v), ''),
    'slice' => fn($a) => array_slice($a, 1, 2), 'slicek' => fn($a) => array_slice($a, -2, null, true), 'merge' => fn($a) => array_merge($a, $a, [1]), 'merge1' => fn($a) => array_merge($a), 'merge_recursive' => fn($a) => array_merge_recursive($a, $a),
    'replace' => fn($a) => array_replace($a, [0 => 'r']), 'replace_recursive' => fn($a) => array_replace_recursive($a, ['a' => ['b' => 2]]), 'combine' => fn($a) => array_combine(array_keys($a), $a), 'flip' => fn($a) => @array_flip($a),
    'fill_keys' => fn($a) => @array_fill_keys($a, 0), 'unique' => fn($a) => @array_unique($a), 'uniquer' => fn($a) => array_unique($a, SORT_REGULAR), 'reverse' => fn($a) => array_reverse($a), 'reversek' => fn($a) => array_reverse($a, true), 'pad' => fn($a) => array_pad($a, 10, 0),
    'chunk' => fn($a) => array_chunk($a, 2), 'chunkk' => fn($a) => array_chunk($a, 2, true), 'column' => fn($a) => array_column($a, 'n', 'id'), 'diff' => fn($a) => @array_diff($a, [1, 'a']), 'diff_key' => fn($a) => array_diff_key($a, ['x' => 1, 0 => 0]), 'diff_assoc' => fn($a) => @array_diff_assoc($a, ['x' => 1]),
    'intersect' => fn($a) => @array_intersect($a, $a), 'intersect_key' => fn($a) => array_intersect_key($a, $a), 'udiff' => fn($a) => array_udiff($a, [1], fn($x, $y) => $x <=> $y), 'count_values' => fn($a) => @array_count_values($a), 'sum' => fn($a) => @array_sum($a), 'product' => fn($a) => @array_product($a),
    'keys' => fn($a) => array_keys($a), 'keys_search' => fn($a) => array_keys($a, 1), 'values' => fn($a) => array_values($a), 'search' => fn($a) => array_search('a', $a), 'in' => fn($a) => in_array(2, $a, true), 'key_exists' => fn($a) => array_key_exists('x', $a), 'first' => fn($a) => [array_key_first($a), array_key_last($a)],
    'is_list' => fn($a) => array_is_list($a), 'change_case' => fn($a) => array_change_key_case($a, CASE_UPPER), 'rand' => fn($a) => array_rand($a, 1), 'count' => fn($a) => [count($a), count($a, COUNT_RECURSIVE)], 'compact' => function ($a) { return compact('a'); }, 'extract' => function (&$a) { return extract($a, EXTR_PREFIX_ALL, 'p'); },
    'extract_refs' => function (&$a) { $n = extract($a, EXTR_PREFIX_ALL | EXTR_REFS, 'q'); if (isset($q_x)) $q_x = 'written'; return $n; }, 'multisort' => fn(&$a) => array_multisort($a), 'implode' => fn($a) => @implode(',', $a), 'http' => fn($a) => http_build_query($a), 'print_r' => fn($a) => print_r($a, true), 'export' => fn($a) => var_export($a, true),
    'dump' => function ($a) { ob_start(); var_dump($a); return ob_get_clean(); }, 'serialize' => fn($a) => serialize($a), 'json' => fn($a) => json_encode($a, JSON_PRETTY_PRINT), 'min' => fn($a) => min($a), 'max' => fn($a) => max($a), 'range' => fn($a) => array_map('gettype', $a), 'next' => fn(&$a) => [next($a), key($a), prev($a), end($a), reset($a), current($a)],
    'unset' => function (&$a) { unset($a['x'], $a[0]); return $a; }, 'plus' => fn($a) => $a + ['x' => 0, 99 => 1], 'spread' => fn($a) => [...$a, 1], 'cmp' => fn($a) => [$a == $a, $a <=> [1], $a === []], 'object' => fn($a) => (object) $a, 'settype' => function (&$a) { settype($a, 'object'); return $a; }, 'vsprintf' => fn($a) => @vsprintf('%s', $a), 'call' => fn($a) => (fn(...$x) => $x)(...array_values($a)),
    'debug_zval' => fn($a) => count([...array_keys($a)]), 'array_walk_ref' => function (&$a) { foreach ($a as &$v) { $v = 1; } return $a; }, 'iterator' => fn($a) => iterator_to_array(new ArrayIterator($a)), 'find' => fn($a) => array_key_exists(0, $a) ? $a[0] : null, 'list_each' => function ($a) { foreach ($a as $k => $v) { $a[$k] = 0; } return $a; },
];
$failed = 0;
foreach ($arrays as $an => $make) {
    VolatileCache::set('k', $make());
    $before = serialize(VolatileCache::get('k'));
    foreach ($functions as $fn => $f) {
        if (differs($f, $make, fn() => VolatileCache::get('k'))) { echo "$fn of $an differs\n"; $failed++; }
        if (serialize(VolatileCache::get('k')) !== $before) { echo "$fn of $an changed the cache\n"; $failed++; }
    }
}
echo count($functions) * count($arrays), " compared, $failed differ\n";
--EXPECTF--
%d compared, 0 differ
