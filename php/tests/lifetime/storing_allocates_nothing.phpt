--TEST--
larder: lifetime: storing arrays and strings takes no request memory, so that memory_limit cannot end a half-written value
--EXTENSIONS--
larder
--INI--
memory_limit=64M
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

$shared = range(1, 1000);
$values = ['list' => range(1, 200000), 'rows' => array_map(fn($i) => ['id' => $i, 'text' => "text $i", 'shared' => $shared], range(1, 5000)), 'string' => str_repeat('s', 5 << 20), 'deep' => array_reduce(range(1, 20000), fn($a) => [$a], 'x'), 'short' => 'x', 'int' => 7];
$result = array_fill_keys(array_keys($values), null);
foreach ($values as $name => $value) {
    memory_reset_peak_usage();
    $before = memory_get_usage();
    $stored = VolatileCache::set('k', $value) && VolatileCache::add('l', $value) && PinnedCache::set('k', $value);
    $taken = memory_get_peak_usage() - $before;
    $again = VolatileCache::remember('r', fn() => $value) === $value;
    $result[$name] = $stored && $again && $taken < 4096 ? 'nothing' : $taken;
    VolatileCache::delete('l'); VolatileCache::delete('r');
}
echo json_encode($result), "\n";

/* Large values are stored even if only a few pages of memory are left. */
ini_set('memory_limit', memory_get_usage(true) + (2 << 20));
var_dump(VolatileCache::set('k', $values['list']), VolatileCache::set('s', $values['string']), VolatileCache::get('k') === $values['list']);
unset($value);
while ($values['deep'] !== 'x') { $inner = $values['deep'][0]; unset($values['deep'][0]); $values['deep'] = $inner; }
--EXPECT--
{"list":"nothing","rows":"nothing","string":"nothing","deep":"nothing","short":"nothing","int":"nothing"}
bool(true)
bool(true)
bool(true)
