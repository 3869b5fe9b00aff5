--TEST--
larder: pack: random graphs are the same after they were packed, and after they became ready again
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
larder.form=packed
--FILE--
<?php
/* LARDER_GRAPHS: number of graphs; LARDER_SEED: the first seed; LARDER_BATCH: how many graphs a process reads with autoloaded classes. A
 * long run: LARDER_GRAPHS=50000 LARDER_BATCH=25 TEST_TIMEOUT=3600. */
use Larder\VolatileCache as Cache;

require __DIR__ . '/../include/random_graph.php';

function child(Closure $run): void
{
    if (($pid = pcntl_fork()) === 0) { $run(); gc_collect_cycles(); exit(0); }
    pcntl_waitpid($pid, $status);
    if ($status !== 0) echo "a child ended with status $status\n";
}
function check(int $seed, array $wanted, string $where): void
{
    $got = Cache::get("graph $seed");
    if (!is_object($got) && !is_array($got)) { echo "seed $seed $where: a miss\n"; return; }
    if (GraphDump::of($got) !== $wanted[1] || ($wanted[0] ?? serialize($got)) !== serialize($got)) echo "seed $seed $where: another value\n";
}
function check_elsewhere(array $stored): void
{
    child(function () use ($stored) {
        graph_load_classes(true);
        foreach ($stored as $seed => $wanted) check($seed, $wanted, 'where classes are autoloaded');
    });
    foreach ($stored as $seed => $wanted) Cache::delete("graph $seed");
}

$first = (int) (getenv('LARDER_SEED') ?: 1);
$batch = (int) (getenv('LARDER_BATCH') ?: 1);
child(function () use ($first, $batch) {
    graph_load_classes(false);
    $stored = [];
    for ($seed = $first, $end = $first + (int) (getenv('LARDER_GRAPHS') ?: 200); $seed < $end; $seed++) {
        if (count($stored) === $batch) {
            check_elsewhere($stored);
            $stored = [];
        }
        $value = RandomGraph::make($seed, $keep);
        try { $is = unserialize(serialize($value)); }
        catch (UnexpectedValueException) { continue; } // unserialize() refuses references in an SplObjectStorage
        $dump = GraphDump::of($is, $referred);
        $wanted = [$referred ? null : serialize($is), $dump];
        unset($is, $keep);
        Cache::set("graph $seed", $value) || print("cannot store seed $seed\n");
        $info = Cache::keyInfo("graph $seed");
        if ($info->store_type->name === 'SharedGraph') Cache::increment($info->form);
        check($seed, $wanted, 'in the process that stored it');
        $stored[$seed] = $wanted;
    }
    check_elsewhere($stored);
});
var_dump(Cache::get('packed') > 10 * Cache::get('ready', 0));
?>
--EXPECT--
bool(true)
