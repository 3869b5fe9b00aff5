--TEST--
polyfill: random graphs of objects and references come back as PHP's serializer gives them
--INI--
date.timezone=UTC
memory_limit=512M
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
require getenv('LARDER_PROJECT') . '/php/tests/include/random_graph.php';
graph_load_classes(false);
$differ = 0;
for ($seed = 1; $seed <= 400; $seed++) {
    $value = RandomGraph::make($seed, $keep);
    $expected = GraphDump::of(unserialize(serialize($value)));
    Larder\VolatileCache::set('k', $value);
    if (GraphDump::of(Larder\VolatileCache::get('k')) !== $expected) {
        $differ++;
        echo "seed $seed\n";
    }
}
var_dump($differ);
--EXPECT--
int(0)
