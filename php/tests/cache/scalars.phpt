--TEST--
larder: cache: scalars come back as they were
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;
use Larder\PinnedCache;

$values = [null, true, false, 0, 1, -1, PHP_INT_MAX, PHP_INT_MIN, 0.0, -0.0, 1.5, PHP_FLOAT_MAX, PHP_FLOAT_MIN, INF, -INF];
foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    foreach ($values as $i => $value) {
        if (!$cache::set("k$i", $value)) echo "not stored: $i\n";
        $got = $cache::get("k$i", 'missing');
        if ($got !== $value || serialize($got) !== serialize($value)) { echo "differs: "; var_dump($value, $got); }
    }
    $cache::set('nan', NAN);
    var_dump(is_nan($cache::get('nan')));
}
--EXPECT--
bool(true)
bool(true)
