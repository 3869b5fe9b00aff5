--TEST--
larder: object: fetching and storing again and again takes no memory
--EXTENSIONS--
larder
--INI--
memory_limit=256M
date.timezone=UTC
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
/* LARDER_FETCHES: how often each graph is fetched. */
use Larder\VolatileCache;

require __DIR__ . '/../include/random_graph.php';
graph_load_classes(false);
$times = (int) (getenv('LARDER_FETCHES') ?: 300);
$grown = 0;
$run = function (int $n) {
    for ($i = 1; $i <= $n; $i++) {
        $got = VolatileCache::get('k');
        if ($i % 40 === 0) { VolatileCache::set('copy', $got); unset($got); gc_collect_cycles(); }
    }
    unset($got);
    gc_collect_cycles();
    return memory_get_usage();
};
for ($seed = 1; $seed <= 60; $seed++) {
    $value = RandomGraph::make($seed, $keep);
    VolatileCache::set('k', $value);
    $value = $keep = null;
    gc_collect_cycles();
    $run(80);
    $before = $run(80);
    $after = $run($times);
    if ($after - $before > 1000) { $grown++; echo "seed $seed: ", $after - $before, " bytes after $times fetches\n"; }
}
var_dump($grown);
--EXPECT--
int(0)
