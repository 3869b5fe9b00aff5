--TEST--
larder: object: random graphs come back as from unserialize(serialize()), in every kind of process
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--INI--
memory_limit=1G
error_reporting=E_ALL & ~E_DEPRECATED
date.timezone=UTC
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
/* LARDER_GRAPHS: number of graphs; LARDER_SEED: the seed of the first graph. */
use Larder\VolatileCache;
use Larder\PinnedCache;

require __DIR__ . '/../include/random_graph.php';
const BATCH = 50;

function child(Closure $run): void {
    if (($pid = pcntl_fork()) === 0) { $run(); gc_collect_cycles(); exit(0); }
    pcntl_waitpid($pid, $status);
    if ($status !== 0) { echo "a child ended with status $status\n"; PinnedCache::increment('wrong'); }
}
function check(int $seed, mixed $got, string $where): void {
    [$text, $dump] = VolatileCache::get("wanted $seed");
    $dumped = is_object($got) || is_array($got) ? GraphDump::of($got) : 'a miss';
    if ($dumped === $dump && ($text ?? serialize($got)) === serialize($got)) { PinnedCache::increment('good'); return; }
    if (PinnedCache::increment('wrong') > 5) return;
    if ($dumped === $dump) [$dump, $dumped] = [$text, serialize($got)];
    $from = max(0, strspn($dump ^ $dumped, "\0") - 200);
    echo "seed $seed $where:\n  wanted ", substr($dump, $from, 400), "\n  got    ", substr($dumped, $from, 400), "\n";
}
/* Stores a graph. Before any read from the cache, records the expected result. */
function write(int $seed): void {
    $value = RandomGraph::make($seed, $keep);
    try { $wanted = unserialize(serialize($value)); }
    catch (UnexpectedValueException) { PinnedCache::increment('good', 6); return; } // unserialize() refuses references in an SplObjectStorage
    $dump = GraphDump::of($wanted, $referred);
    VolatileCache::set("wanted $seed", [$referred ? null : serialize($wanted), $dump]) || die("no room for seed $seed\n");
    unset($wanted, $keep);
    VolatileCache::set("graph $seed", $value) || die("cannot store seed $seed\n");
    PinnedCache::increment(VolatileCache::getCacheStoreType("graph $seed")->name);
    check($seed, VolatileCache::get("graph $seed"), 'in the process that stored it');
    check($seed, VolatileCache::get("graph $seed"), 'a second time');
}

$count = (int) (getenv('LARDER_GRAPHS') ?: 500);
$first = getenv('LARDER_SEED');
$seeds = $first !== false ? range($first, $first + $count - 1)
    : array_merge(range(1, max(1, intdiv($count, 2))), range($start = random_int(1000, 1 << 30), $start + max(1, $count - intdiv($count, 2)) - 1));
echo "random seeds start at ", $start ?? $first, "\n";
PinnedCache::set('good', 0); PinnedCache::set('wrong', 0);
foreach (array_chunk($seeds, BATCH) as $batch) {
    child(function () use ($batch) { graph_load_classes(false); array_map('write', $batch); });
    $read = function (bool $later, bool $full, string $where) use ($batch) {
        $held = $full ? [hold_all_that_a_request_may(PinnedCache::class), hold_all_that_a_request_may()] : [];
        graph_load_classes($later);
        foreach ($batch as $seed) if (VolatileCache::has("wanted $seed")) { $got = VolatileCache::get("graph $seed"); check($seed, $got, $where); unset($got); }
        gc_collect_cycles();
    };
    child(fn() => $read(false, false, 'in another process'));
    child(fn() => $read(true, false, 'where classes are autoloaded'));
    child(fn() => $read(false, true, 'past the bounds'));
    child(fn() => $read(true, true, 'past the bounds where classes are autoloaded'));
    VolatileCache::clear();
}
var_dump(PinnedCache::get('wrong'), PinnedCache::get('good') === count($seeds) * 6, PinnedCache::get('SharedGraph') > $count / 4);
--EXPECTF--
random seeds start at %d
int(0)
bool(true)
bool(true)
