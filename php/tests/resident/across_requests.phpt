--TEST--
larder: resident: changes that a request makes to the objects end with it
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    error_reporting(E_ALL & ~E_DEPRECATED);
    class Junk { public $a; }
    for ($i = 0; $i < $n * 7 % 30; $i++) $GLOBALS['junk'][] = new Junk; // give enum cases other addresses in each request
    enum Level { case Low; case High; }
    final readonly class Item { public function __construct(public string $name, public mixed $v = null, public ?Item $next = null, public Level $level = Level::Low) {} }
    $value = ['a' => $last = new Item('a', [1, 2], null, Level::High), 'b' => new Item('b', ['in' => [$last, Level::Low]], $last), 'c' => new Item('c', str_repeat('c', 100))];
    if ($n === 0) { $filler = $n; VolatileCache::set('k', $value); VolatileCache::set('other', new Item('other', [new Item('x')])); }
    $wrong = [];
    $got = VolatileCache::get('k');
    if (serialize($got) !== serialize($value)) $wrong[] = 'differs: ' . serialize($got);
    if ($got !== VolatileCache::get('k')) $wrong[] = 'two instances';
    if ($got['b']->next !== $got['a'] || $got['b']->v['in'][0] !== $got['a'] || $got['a']->level !== Level::High || $got['b']->v['in'][1] !== Level::Low) $wrong[] = 'identity';
    if (intdiv($n, 12) % 2) { // var_dump() makes tables of properties, so the next request builds the graph again
        ob_start(); var_dump($got); $dump = ob_get_clean();
        if (str_contains($dump, 'RECURSION')) $wrong[] = 'a mark of recursion';
    }
    if (VolatileCache::getCacheStoreType('k')->name !== 'Resident') $wrong[] = 'not resident';
    if (isset(($GLOBALS['map'] ??= new WeakMap)[$got['a']])) $wrong[] = 'in a weak map';
    $GLOBALS['ids'] = spl_object_id($got['a']);
    switch ($n % 12) {
        case 1: array_walk($got['a'], function (&$v, $k) { if ($k === 'name') $v = 'overwritten'; }); break;
        case 2: $o = new ArrayObject($got['b']); $o['name'] = str_repeat('written', 20); unset($o['v']); $wrong[] = $got['b']->name === 'b' ? '' : 'written'; break;
        case 3: foreach ($got as $x) { var_export($x, true); (array) $x; get_object_vars($x); json_encode($x); } $GLOBALS['keep'] = $got['a']; break;
        case 4: $GLOBALS['map'][$got['a']] = new stdClass; $GLOBALS['weak'] = WeakReference::create($got['b']); $GLOBALS['set'] = new SplObjectStorage; $GLOBALS['set'][$got['c']] = $got; break;
        case 5: $ring = new stdClass; $ring->self = $ring; $ring->item = $got; unset($ring); gc_collect_cycles(); break;
        case 6: for ($i = 0; $i < 50000; $i++) $GLOBALS['many'][] = $got['a']; break;
        case 7: register_shutdown_function(function () use ($got) { echo $got['c']->name === 'c' ? '' : 'late'; }); break;
        case 8: class Late { public function __construct(public $g) {} public function __destruct() { echo $this->g['a']->name === 'a' ? '' : 'late'; } } $GLOBALS['late'] = new Late($got); break;
        case 9: ini_set('display_errors', 0); echo 'fine'; ob_start(function ($text) { if (str_contains($text, 'level')) trigger_error('the end', E_USER_ERROR); return ''; }, 1); var_dump($got['b']); break;
        case 10: class Dumper { public $g; public function __debugInfo() { exit; } } $d = new Dumper; $got['a']; $o = new ArrayObject($got['a']); $o['v'] = [$d, $got]; ob_start(fn() => 'fine'); var_dump($got); break;
        case 11: $GLOBALS['gen'] = (function () use ($got) { foreach ($got as $k => $x) yield $k => $x; })(); $GLOBALS['gen']->current(); $GLOBALS['closure'] = fn() => $got; break;
    }
    echo implode(', ', array_filter($wrong)) === ($n % 12 === 2 ? 'written' : '') ? 'fine' : implode(', ', $wrong);
    CODE, 0);
$answers = [];
for ($n = 0; $n < 60; $n++) $answers[$ask($n)][] = $n;

foreach ($answers as $answer => $which) echo $answer, $answer === 'fine' ? '' : ': ' . implode(' ', $which), "\n";
?>
--EXPECT--
fine
