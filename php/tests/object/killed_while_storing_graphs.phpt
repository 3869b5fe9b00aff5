--TEST--
larder: object: processes killed while they store and fetch graphs leave no broken object
--EXTENSIONS--
larder
--INI--
larder.volatile_size=2M
larder.pinned_size=4M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
/* LARDER_KILLS: number of rounds. */
use Larder\VolatileCache;
use Larder\PinnedCache;

enum Kind { case A; case B; }
class Node { public ?Node $next = null; public ?Node $parent = null; public Kind $kind = Kind::A; private array $fill; public $sum; public readonly string $text;
    function __construct(int $n) { $this->text = str_repeat((string) ($n % 10), 20 + $n % 100); $this->fill = array_fill(0, $n % 30, $n); $this->kind = $n % 2 ? Kind::B : Kind::A; $this->sum = $this->sum(); }
    function sum() { return crc32(serialize($this->fill) . $this->text . $this->kind->name); } }
class Hooked { public $graph; public $sum; function __serialize(): array { return ['graph' => $this->graph, 'sum' => count($this->graph)]; } function __unserialize(array $d): void { [$this->graph, $this->sum] = [$d['graph'], $d['sum']]; } }
function graph(int $n): array {
    $first = $last = new Node($n);
    for ($i = 1, $length = 3 + $n % 40; $i < $length; $i++) { $last->next = new Node($n + $i); $last->next->parent = $first; $last = $last->next; }
    $last->next = $first; // a ring
    $h = new Hooked; $h->graph = [$first, $last];
    return ['n' => $n, 'length' => $length, 'first' => $first, 'hooked' => $h, 'date' => new DateTimeImmutable("@$n")];
}
function good($value): bool {
    if ($value === null) return true;
    $node = $first = $value['first'];
    for ($i = 0; $i < $value['length']; $i++, $node = $node->next) if ($node->sum !== $node->sum() || $node->sum !== (new Node($value['n'] + $i))->sum || $node->parent !== ($i ? $first : null)) return false;
    return $node === $first && $value['hooked']->graph[0] === $first && $value['hooked']->sum === 2 && $value['date']->getTimestamp() === $value['n'];
}
for ($i = 0; $i < 10; $i++) PinnedCache::set("k$i", graph($i));
PinnedCache::set('broken', 0);
$wrong = $died = 0;
mt_srand(7);
$rounds = (int) (getenv('LARDER_KILLS') ?: 60);
for ($round = 0; $round < $rounds; $round++) {
    $pids = [];
    for ($c = 0; $c < 3; $c++) {
        if (($pid = pcntl_fork()) === 0) {
            for ($n = $round * 1000 + $c; ; $n += 3) {
                VolatileCache::set('k' . $n % 50, graph($n));
                PinnedCache::set('k' . $n % 10, graph($n));
                if (!good(VolatileCache::get('k' . ($n * 7) % 50)) || !good(PinnedCache::get('k' . ($n * 3) % 10))) PinnedCache::increment('broken');
                if ($n % 60 < 3) gc_collect_cycles();
            }
        }
        $pids[] = $pid;
    }
    usleep(mt_rand(300, 20000));
    foreach ($pids as $pid) { posix_kill($pid, SIGKILL); pcntl_waitpid($pid, $s); $died += pcntl_wtermsig($s) !== SIGKILL; }
    for ($i = 0; $i < 50; $i++) $wrong += !good(VolatileCache::get("k$i"));
    for ($i = 0; $i < 10; $i++) $wrong += !good(PinnedCache::get("k$i")) || PinnedCache::get("k$i") === null;
    gc_collect_cycles();
}
var_dump($wrong, $died, PinnedCache::get('broken'));
for ($i = 0; $i < 10; $i++) if (!PinnedCache::set("k$i", graph($i)) || !good(PinnedCache::get("k$i"))) echo "cannot write k$i\n";
gc_collect_cycles();
--EXPECT--
int(0)
int(0)
int(0)
