--TEST--
larder: resident: workers of a server killed while they store and fetch; no request is given a broken graph
--EXTENSIONS--
larder
--INI--
larder.path={TMP}
larder.scope=resident_killed
larder.volatile_size=1M
larder.pinned_size=2M
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
/* LARDER_KILLS: number of rounds. */
use Larder\{VolatileCache, PinnedCache};

enum Kind { case A; case B; }
final readonly class Node {
    public ?Node $next; public int $sum; public array $fill; public string $text;
    function __construct(public int $n, int $left, public Kind $kind = Kind::A, public ?Node $first = null) {
        $this->text = str_repeat((string) ($n % 10), 20 + $n % 100); $this->fill = array_fill(0, $n % 30, $n); $this->sum = $this->sum();
        $this->next = $left ? new Node($n + 1, $left - 1, $n % 2 ? Kind::A : Kind::B, $first ?? $this) : $first;
    }
    function sum(): int { return crc32(serialize($this->fill) . $this->text . $this->kind->name); }
}
function good(?array $value): bool {
    if ($value === null) return true;
    for ($node = $value['first'], $i = 0; $i <= $value['length']; $i++, $node = $node->next) if ($node->n !== $value['n'] + $i || $node->sum !== $node->sum() || $node->first !== ($i ? $value['first'] : null)) return false;
    return $node === $value['first'] && $value['more'][0]['x'] === $node;
}
function graph(int $n): array { $first = new Node($n, $length = 3 + $n % 40); return ['n' => $n, 'length' => $length, 'first' => $first, 'more' => [['x' => $first], 5]]; }

require __DIR__ . '/../include/server.php';
$source = file_get_contents(__FILE__);
$code = substr($source, $from = strpos($source, 'enum Kind'), strpos($source, 'require __DIR__') - $from);
$ask = server($code . <<<'CODE'
    set_error_handler(function ($no, $text) { echo "error: $text "; });
    for ($end = hrtime(true) + 5e6, $i = 0; $i < 3 || hrtime(true) < $end; $i++) {
        $k = 'k' . mt_rand(0, 9); $cache = mt_rand(0, 1) ? VolatileCache::class : PinnedCache::class;
        if (mt_rand(0, 9) === 0) $cache::set($k, graph(mt_rand(0, 5000))); elseif (!good($cache::get($k))) { echo 'broken '; break; }
    }
    echo getmypid(), $i === 0 ? ' idle' : '';
    CODE, 3, 'larder.volatile_size=1M larder.pinned_size=2M larder.resident_size=200K larder.scope=resident_killed larder.path=' . ini_get('larder.path'));
for ($i = 0; $i < 10; $i++) { PinnedCache::set("k$i", graph($i)); if (!good(PinnedCache::get("k$i"))) echo "wrong at once\n"; }
$rounds = (int) (getenv('LARDER_KILLS') ?: 20);
for ($round = 0, $killed = 0, $answers = []; $round < $rounds; $round++) {
    $parent = getmypid();
    if (($pid = pcntl_fork()) === 0) {
        for ($n = $round; ; $n++) { PinnedCache::set('k' . $n % 10, graph($n)); if (!good(PinnedCache::get('k' . ($n + 3) % 10))) { posix_kill($parent, SIGTERM); } }
    }
    $workers = [];
    for ($i = 0; $i < 6; $i++) { $answer = $ask($i); if (!preg_match('/^\d+$/', (string) $answer)) $answers[] = $answer; }
    posix_kill($pid, SIGKILL); pcntl_waitpid($pid, $status); $killed++;
    for ($i = 0; $i < 10; $i++) if (!good(PinnedCache::get("k$i"))) $answers[] = "k$i broken";
}
array_map('unlink', array_merge(glob(ini_get('larder.path') . '/larder-*-resident_killed-*'), glob(ini_get('larder.path') . '/.larder-*-resident_killed-*')));
var_dump($killed === $rounds, $answers);
?>
--EXPECT--
bool(true)
array(0) {
}
