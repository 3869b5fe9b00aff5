--TEST--
larder: object: private, protected and public properties of a heap's class come back, those of its parents too
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\PinnedCache;
use Larder\VolatileCache;

class Tree extends SplMinHeap
{
    private string $own = 'default';
    protected string $name = 'default';
    protected ?Tree $none;
    public function tree(): string { return "$this->own $this->name " . (isset($this->none) ? 'set' : 'unset'); }
    public function with(string $text): static { $this->own = "own $text"; $this->name = "name $text"; return $this; }
}
final class Oak extends Tree
{
    private int $own = 0;
    protected array $leaves = [];
    public ?object $root = null;
    public function oak(): string { return "$this->own " . json_encode($this->leaves) . ' ' . get_debug_type($this->root) . ' ' . $this->tree(); }
    public function grow(): static { $this->own = 7; $this->leaves = [1, 2]; $this->root = $this; return $this->with('oak'); }
}
class Line extends SplPriorityQueue
{
    protected string $name = 'default';
    public function name(?string $name = null): string { return $this->name = $name ?? $this->name; }
}

$oak = (new Oak)->grow();
$oak->insert(3);
$line = new Line;
$line->name('queue');
$line->insert('value', 1);
foreach (['volatile' => VolatileCache::class, 'pinned' => PinnedCache::class] as $name => $cache) {
    $cache::set('heaps', ['tree' => (new Tree)->with('tree'), 'oak' => $oak, 'line' => $line]);
    $got = $cache::get('heaps');
    echo "$name: ", $got['tree']->tree(), ' | ', $got['oak']->oak(), ' ', $got['oak']->top(), ' | ', $got['line']->name(), ' ', $got['line']->top(), "\n";
    var_dump($got['oak']->root === $got['oak'], serialize($got['tree']) === serialize((new Tree)->with('tree')));
}
--EXPECT--
volatile: own tree name tree unset | 7 [1,2] Oak own oak name oak unset 3 | queue value
bool(true)
bool(true)
pinned: own tree name tree unset | 7 [1,2] Oak own oak name oak unset 3 | queue value
bool(true)
bool(true)
