--TEST--
larder: holds: a fetched int takes no hold, for any number of values that the request holds
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--INI--
larder.pinned_size=1M
--FILE--
<?php
use Larder\{Inspector, PinnedCache};

$held = [];
for ($i = 0; $i < 40; $i++) {
    PinnedCache::set("array $i", [$i, str_repeat('x', 100)]);
    $held[] = PinnedCache::get("array $i");
}
PinnedCache::set('number', 7);
var_dump(PinnedCache::get('number'));
$child = pcntl_fork();
if ($child === 0) {
    PinnedCache::delete('number');
    /* Fill the store. Before a write fails, it frees all blocks that no process reads. */
    for ($i = 0; @PinnedCache::set("filler $i", str_repeat('y', 5000)); $i++);
    var_dump($i > 20, Inspector::own('pinned')->stats()['retired']);
    exit;
}
pcntl_waitpid($child, $status);
var_dump(count($held), $status);
?>
--EXPECT--
int(7)
bool(true)
int(0)
int(40)
int(0)
