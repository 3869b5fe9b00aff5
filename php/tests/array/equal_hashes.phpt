--TEST--
larder: array: strings with one hash come back, the first two stored once, and take no time that grows with their number
--EXTENSIONS--
larder
--INI--
memory_limit=1G
larder.volatile_size=256M
--FILE--
<?php
use Larder\VolatileCache;

/* Returns all strings of $bits pairs "Ez" or "FY". Both pairs have the same hash, and so have all these strings. */
function same(int $bits): array
{
    $list = [''];
    while ($bits-- > 0) $list = array_merge(array_map(fn($s) => "Ez$s", $list), array_map(fn($s) => "FY$s", $list));
    return $list;
}
function good(mixed $value): bool { return VolatileCache::set('k', $value) && VolatileCache::get('k') === $value; }
function size(mixed $value): int { VolatileCache::set('k', $value); return VolatileCache::keyInfo('k')->size; }

$same = same(15);
var_dump(good($same), good(array_flip(array_slice($same, 0, 1000))), good([$same, array_reverse($same), array_fill_keys(array_slice($same, 0, 300), $same)]));
foreach ([1, 2, 3, 20] as $many) {
    $some = array_slice($same, 0, $many);
    $others = array_map(fn($i) => str_pad((string) $i, 30, 'o'), range(1, $many));
    // The second list contains copies of the first list's strings. Larder must not store these strings again. range() makes the value too
    // large for put/small.c, which may store equal strings twice.
    $twice = fn($list) => size([$list, array_map(fn($s) => substr("$s.", 0, -1), $list), range(1, 20)]);
    echo $many, ': ', good([$some, $some]) ? 'good' : 'wrong', ', ', $twice($some) === $twice($others) ? 'each once' : 'some twice', "\n";
}
/* This value has 262,144 strings with one hash. Comparing each with all others would take minutes. */
var_dump(good(same(18)));
--EXPECT--
bool(true)
bool(true)
bool(true)
1: good, each once
2: good, each once
3: good, some twice
20: good, some twice
bool(true)
