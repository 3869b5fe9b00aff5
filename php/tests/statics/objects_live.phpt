--TEST--
larder: statics: pinned objects live once per worker, and each request begins with them as they were stored
--EXTENSIONS--
larder
--INI--
larder.statics=1
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    use Larder\{VolatileStatic, PinnedStatic};
    class Junk { public $a; }
    for ($i = 0; $i < $n * 7 % 30; $i++) $GLOBALS['junk'][] = new Junk; // give enum cases other addresses in each request
    enum Level { case Low; case High; }
    class Node { public int $count = 0; public ?Node $next = null; public array $tags = ['t']; public mixed $v; protected readonly string $name; public Level $level = Level::Low;
        function __construct(string $name) { $this->name = $name; } function name() { return $this->name; } }
    #[AllowDynamicProperties] class Open extends Node {}
    class Kernel {
        #[PinnedStatic] public static ?array $nodes = null;
        #[PinnedStatic] public static ?Open $open = null;
        #[PinnedStatic] public static $closes = null;
    }
    class Closes { public $x = 1; function __destruct() { $GLOBALS['closed'] = true; } }
    function make() {
        $a = new Node('a'); $b = new Node('b'); $c = new Open('c');
        $a->next = $b; $b->next = $c; $c->next = $a; $b->v = ['deep' => [$a, Level::High]]; $c->level = Level::High; $c->v = str_repeat('c', 100);
        return ['a' => $a, 'b' => $b, 'c' => $c];
    }
    if ($n === 0) { Kernel::$nodes = make(); Kernel::$open = new Open('open'); Kernel::$closes = new Closes; }
    $wrong = [];
    $nodes = Kernel::$nodes;
    if (serialize($nodes) !== serialize(make())) $wrong[] = 'differs: ' . serialize($nodes);
    if ($nodes['a']->next !== $nodes['b'] || $nodes['c']->next !== $nodes['a'] || $nodes['b']->v['deep'][0] !== $nodes['a'] || $nodes['c']->level !== Level::High || $nodes['b']->v['deep'][1] !== Level::High) $wrong[] = 'identity';
    if (isset($nodes['a']->v) || (new ReflectionProperty('Node', 'v'))->isInitialized($nodes['a'])) $wrong[] = 'initialised';
    if ((array) Kernel::$open !== (array) new Open('open')) $wrong[] = 'open differs';
    if ($n !== 0 && Larder\PinnedCache::getCacheStoreType('nodes', 'Kernel')->name !== 'Resident') $wrong[] = 'not resident';
    if (Larder\PinnedCache::getCacheStoreType('closes', Kernel::class)->name !== 'SharedGraph') $wrong[] = 'with a destructor: ' . Larder\PinnedCache::getCacheStoreType('closes', Kernel::class)->name;
    switch ($n % 14) {
        case 1: $nodes['a']->count = 5; $nodes['a']->tags[] = 'written'; $nodes['b']->next = null; break;
        case 2: $nodes['a']->v = new Junk; $nodes['a']->v->a = $nodes; $nodes['c']->v .= 'tail'; break;
        case 3: Kernel::$open->added = ['dynamic' => $nodes]; Kernel::$open->more = str_repeat('x', 5000); break;
        case 4: foreach ($nodes as $node) { $r = &$node->count; $r = 7; unset($r); foreach ($node->tags as &$tag) $tag = 'by reference'; unset($tag); } break;
        case 5: unset($nodes['a']->tags, $nodes['b']->next); try { $nodes['a']->tags; $wrong[] = 'not unset'; } catch (Error) {} break;
        case 6: $GLOBALS['weak'] = WeakReference::create($nodes['a']); $GLOBALS['map'] = new WeakMap; $GLOBALS['map'][$nodes['b']] = $nodes; $GLOBALS['set'] = new SplObjectStorage; $GLOBALS['set'][$nodes['c']] = $nodes; break;
        case 7: $copy = clone $nodes['a']; $copy->count = 9; $GLOBALS['copy'] = $copy; $deep = unserialize(serialize($nodes)); $deep['a']->count = 8; break;
        case 8: for ($i = 0; $i < 1000; $i++) { $ring = new Junk; $ring->a = [$ring, $nodes['a']]; $nodes['a']->v = $ring; } gc_collect_cycles(); break;
        case 9: ob_start(); var_dump($nodes); print_r($nodes); var_export((array) Kernel::$open, true); ob_end_clean(); break;
        case 10: register_shutdown_function(function () use ($nodes) { $nodes['a']->count = 1000; echo $nodes['a']->name() === 'a' ? '' : 'late'; }); break;
        case 11: class Late { public function __construct(public $g) {} public function __destruct() { $this->g['a']->count = 11; echo $this->g['a']->name() === 'a' ? '' : 'late'; } } $GLOBALS['late'] = new Late($nodes); $nodes['b']->v = $GLOBALS['late']; break;
        case 12: $nodes['a']->v = fn () => $nodes; $nodes['b']->v = (function () { yield 1; })(); $nodes['b']->v->current(); break;
        case 13: ini_set('display_errors', 0); echo 'fine'; $nodes['a']->count = 13; trigger_error('the end', E_USER_ERROR);
    }
    echo $wrong ? implode(', ', $wrong) : 'fine';
    CODE, 0);
$answers = [];
for ($n = 0; $n < 70; $n++) $answers[$ask($n)][] = $n;
foreach ($answers as $answer => $which) echo $answer, $answer === 'fine' ? '' : ': ' . implode(' ', $which), "\n";
?>
--EXPECT--
fine
