--TEST--
larder: object: if many objects contain one array of all of them, a store takes a time that grows with their number, not with its square
--EXTENSIONS--
larder
--INI--
memory_limit=512M
--FILE--
<?php
use Larder\VolatileCache;

class Item { public $siblings; public function __construct(public $id) {} }
class Bare extends Item { public function __unserialize(array $data): void { $GLOBALS['called'][] = $data['id']; } }

/** Stores the items three times. Returns the lowest CPU time in seconds. */
function store(array $items): float
{
    $best = INF;
    for ($i = 0; $i < 3; $i++) {
        $before = getrusage();
        VolatileCache::set('k', $items) || die("not stored\n");
        $after = getrusage();
        $best = min($best, $after['ru_utime.tv_sec'] - $before['ru_utime.tv_sec'] + ($after['ru_utime.tv_usec'] - $before['ru_utime.tv_usec']) / 1e6);
    }
    return $best;
}

$items = array_map(fn(int $id) => new Item($id), range(1, 30000));
$one = [...$items, new Bare(1)];
$two = [...$items, new Bare(1), new Bare(2)];
foreach ([$one, $two] as $all) {
    foreach ($items as $item) $item->siblings = $all;
    $times[] = store($all);
}
echo $times[1] < 20 * $times[0] + 0.1 ? "in time\n" : "$times[0] s with one hook, $times[1] s with two\n";
$called = [];
$got = VolatileCache::get('k');
echo implode(' ', $called), "\n";
var_dump(count($got), $got[29999]->siblings[0] === $got[0], $got[0]->siblings[30001] === $got[30001]);
foreach ([$items, $got] as $all) foreach ($all as $item) $item->siblings = null; /* no cycles are left */
--EXPECT--
in time
1 2
int(30002)
bool(true)
bool(true)
