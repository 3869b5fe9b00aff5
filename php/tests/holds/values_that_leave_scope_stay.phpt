--TEST--
larder: scope(): whatever leaves it, by whatever way, stays what it was
--EXTENSIONS--
larder
--INI--
larder.form=ready
larder.volatile_size=1M
--FILE--
<?php
require __DIR__ . '/churn.inc';
use Larder\VolatileCache;
use function Larder\scope;

class Place { public static $static; public $property; public array $typed = []; public ?Place $next = null; }
class Texts { public function __construct(private string $key) {} public function __toString(): string { return VolatileCache::get($this->key)['text']; } }
class Churning { public function __toString(): string { $s = scope(fn() => strlen(VolatileCache::get('other')['text'])); churn(); return "churned $s"; } }
class Told implements JsonSerializable { public function __construct(private bool $churns = false) {} public function jsonSerialize(): mixed { return $this->churns ? (string) new Churning : VolatileCache::get('k'); } }
function kept($v = null) { static $kept; return $kept = $v ?? $kept; }
function get($part = null) { $v = VolatileCache::get('k'); return $part === null ? $v : $v[$part]; }
/* Stores two entries, and tries again until both are there: after churn(), storing the second entry may evict the first. */
function store(array $v): void
{
    for ($i = 0; $i < 1000; $i++) {
        VolatileCache::clear();
        VolatileCache::set('k', $v);
        VolatileCache::set('other', value('other'));
        if (VolatileCache::has('k') && VolatileCache::has('other')) return;
    }
    exit("two entries do not fit\n");
}
function &reference() { static $v; return $v; }

$v = value('k');
$ways = [
    'static variable' => [fn() => kept(get()), fn() => kept()],
    'static property' => [fn() => Place::$static = get(), fn() => Place::$static],
    'global' => [fn() => $GLOBALS['kept'] = get(), fn() => $GLOBALS['kept']],
    'property' => [function ($o) { $o->property = get(); }, fn($o) => $o->property],
    'typed property' => [function ($o) { $o->typed = get(); }, fn($o) => $o->typed],
    'added property' => [function ($o) { $o->added = get(); }, fn($o) => $o->added],
    'new object' => [function ($o) { $o->next = new Place; $o->next->property = get(); }, fn($o) => $o->next->property],
    'a part' => [function ($o) { $o->property = get('deep'); }, fn($o) => ['deep' => $o->property] + value('k'), 'unordered'],
    'a string within' => [function ($o) { $o->property = get('text'); }, fn($o) => ['text' => $o->property] + value('k'), 'unordered'],
    'a key' => [function ($o) { $o->property = array_flip(get('list')); }, fn($o) => ['list' => array_flip(array_flip(array_keys($o->property)) + [])] + value('k'), 'keys'],
    'changed array' => [function ($o) { $a = get(); $a['more'] = 1; $o->property = $a; }, function ($o) { $a = $o->property; unset($a['more']); return $a; }],
    'reference' => [function () { $r = &reference(); $r = get(); }, fn() => reference()],
    'array element' => [function ($o) { $o->property[3][4] = get(); }, fn($o) => $o->property[3][4]],
    'closure' => [function ($o) { $x = get(); $o->property = fn() => $x; }, fn($o) => ($o->property)()],
    'closure static' => [function ($o) { $o->property = function ($new = null) { static $x; return $x = $new ?? $x; }; ($o->property)(get()); }, fn($o) => ($o->property)()],
    'generator' => [function ($o) { $o->property = (function () { $x = get(); yield; yield $x; })(); $o->property->current(); }, fn($o) => $o->property->send(1)],
    'sent to a generator' => [function ($o) { $o->property = (function () { $x = yield 1; yield $x; })(); $o->property->current(); $o->property->send(get()); }, fn($o) => $o->property->current()],
    'fiber' => [function ($o) { $o->property = new Fiber(function () { $x = get(); return Fiber::suspend() ? $x : $x; }); $o->property->start(); }, function ($o) { $o->property->resume(); return $o->property->getReturn(); }],
    'fiber argument' => [function ($o) { $o->property = new Fiber(function ($x) { Fiber::suspend(); return $x; }); $o->property->start(get()); }, function ($o) { $o->property->resume(); return $o->property->getReturn(); }],
    'suspended value' => [function ($o) { $f = new Fiber(function () { Fiber::suspend(get()); }); $o->property = [$f->start(), $f]; }, fn($o) => $o->property[0]],
    'constant' => [fn() => define('KEPT', get()), fn() => KEPT],
    'exception' => [function ($o) { try { (function ($x) { throw new Exception('no'); })(get()); } catch (Exception $e) { $o->property = $e; } }, function ($o) { return value('k'); }],
    'ArrayObject' => [function ($o) { $o->property = new ArrayObject(get()); }, fn($o) => $o->property->getArrayCopy()],
    'ArrayIterator within' => [function ($o) { $o->property = new ArrayIterator(get()); $o->property->next(); }, fn($o) => $o->property->getArrayCopy()],
    'SplObjectStorage' => [function ($o) { $o->property = new SplObjectStorage; $o->property[$o] = get(); }, fn($o) => $o->property[$o]],
    'SplFixedArray' => [function ($o) { $o->property = new SplFixedArray(3); $o->property[1] = get(); }, fn($o) => $o->property[1]],
    'SplQueue' => [function ($o) { $o->property = new SplQueue; $o->property[] = get(); }, fn($o) => $o->property->dequeue()],
    'SplMinHeap' => [function ($o) { $o->property = new SplMinHeap; $o->property->insert(get()); }, fn($o) => $o->property->extract()],
    'WeakMap' => [function ($o) { $o->property = new WeakMap; $o->property[$o] = get(); }, fn($o) => $o->property[$o]],
    'handler' => [function () { set_error_handler([new class(get()) { function __construct(public $x) {} function f() { kept($this->x); return true; } }, 'f']); }, function () { kept([]); trigger_error('x'); restore_error_handler(); return kept(); }],
    'shutdown function' => [function () { register_shutdown_function(fn($x) => same('shutdown function', $x, value('k')), get()); }, fn() => value('k')],
    'output callback' => [function () { $x = get(); ob_start(function ($s) use ($x) { kept($x); return ''; }); }, function () { ob_end_clean(); return kept(); }],
    'stream context' => [function ($o) { $o->property = stream_context_create(['mine' => ['x' => get()]]); }, fn($o) => stream_context_get_options($o->property)['mine']['x']],
    'strtok' => [function () { strtok(get('text'), ' '); }, function () { return ['text' => 'text ' . strtok('!')] + value('k'); }, 'unordered'],
    'setting' => [function () { ini_set('user_agent', get('text')); }, fn() => ['text' => ini_get('user_agent')] + value('k'), 'unordered'],
    'memory stream' => [function ($o) { $o->property = fopen('php://memory', 'w+'); fwrite($o->property, get('text')); }, function ($o) { rewind($o->property); return ['text' => stream_get_contents($o->property)] + value('k'); }, 'unordered'],
    'compiled code' => [function () { eval('function compiled() { return ' . var_export(get(), true) . '; }'); }, fn() => compiled()],
    'alias' => [function ($o) { $o->property = get(); VolatileCache::set('again', $o->property); $o->property = VolatileCache::get('again'); }, fn($o) => $o->property],
    'iteration' => [function ($o) { $o->property = (function () { foreach (VolatileCache::get('k') as $name => $part) yield $name => $part; })(); $o->property->current(); }, fn($o) => iterator_to_array($o->property)],
];
foreach ($ways as $name => [$in, $out]) {
    store($v);
    $o = new #[AllowDynamicProperties] class extends Place {};
    scope(function () use ($in, $o) { $in($o); });
    churn();
    $found = $out($o);
    isset($ways[$name][2]) ? same($name, $found == $v, true) : same($name, $found, $v);
    unset($o, $found);
    gc_collect_cycles();
}

/* No PHP variable refers to these values. Only stack frames of the engine, or of an extension's function, still use them. */
foreach (['implode' => fn() => implode('|', [new Texts('k'), new Churning]), 'concatenation' => fn() => VolatileCache::get('k')['text'] . '|' . new Churning,
    'argument' => fn() => sprintf('%s|%s', VolatileCache::get('k')['text'], new Churning), 'in scope' => fn() => scope(fn() => implode('|', [new Texts('k'), new Churning]))] as $name => $run) {
    store($v);
    same($name, $run(), $v['text'] . '|churned ' . strlen(value('other')['text']));
}
store($v);
same('sort', (function () { $all = VolatileCache::get('k')['list']; usort($all, function ($a, $b) { static $once; $once ??= (string) new Churning; return strcmp($b, $a); }); return $all; })(), array_reverse($v['list']));
store($v);
same('preg', preg_replace_callback('/text of/', function () { static $once; $once ??= (string) new Churning; return 'TEXT'; }, VolatileCache::get('k')['text']), str_replace('text of', 'TEXT', $v['text']));
store($v);
same('json', json_decode(json_encode([new Told, new Told(true)]), true)[0], $v);
echo "done\n";
--EXPECT--
done
