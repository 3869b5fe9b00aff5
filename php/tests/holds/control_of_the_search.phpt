--TEST--
larder: a search that leaves out places, or lets used graphs go, is noticed (the build of make php-poison)
--EXTENSIONS--
larder
--SKIPIF--
<?php
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
if (!str_contains((string) @file_get_contents($m[1] ?? ''), 'LARDER_COLLECT')) die('skip not built for it');
if (!@fopen('/proc/self/pagemap', 'r')) die('skip this process may not look at its memory');
?>
--FILE--
<?php
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
file_put_contents(__DIR__ . '/control_run.php', '<?php require ' . var_export(__DIR__ . '/churn.inc', true) . ';' . <<<'CODE'
use Larder\VolatileCache;
/* Only a frame of implode(), on the fiber's stack, points to the string that the first object returns. */
class Says { public function __toString(): string { return VolatileCache::get('k')['text']; } }
/* Overwrites the stack frames of functions that have returned. */
function over(...$numbers) { return array_sum($numbers); }
class Waits { public function __toString(): string { $a = $b = $c = $d = $e = $f = $g = $h = 1; over(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20); Fiber::suspend($a + $h); return 'waited'; } }
VolatileCache::set('k', value('k'));
$fiber = new Fiber(fn() => implode('|', [new Says, new Waits]));
$fiber->start();
churn();
VolatileCache::get('churn 1');
churn();
$fiber->resume();
echo $fiber->getReturn() === value('k')['text'] . '|waited' ? 'right' : 'wrong';
CODE);
file_put_contents(__DIR__ . '/control_heap.php', '<?php require ' . var_export(__DIR__ . '/churn.inc', true) . ';' . <<<'CODE'
use Larder\VolatileCache;
/* Only a small block of the heap points to the value. */
function keep(object $place) { $place->value = VolatileCache::get('k'); }
VolatileCache::set('k', value('k'));
$place = new stdClass;
keep($place);
churn();
VolatileCache::get('churn 1');
churn();
echo $place->value === value('k') ? 'right' : 'wrong';
CODE);
file_put_contents(__DIR__ . '/control_graph.php', '<?php require ' . var_export(__DIR__ . '/churn.inc', true) . ';' . <<<'CODE'
use Larder\VolatileCache;
final readonly class Fixed { public function __construct(public array $value, public ?Fixed $inner) {} }
VolatileCache::set('k', new Fixed(value('k'), new Fixed(value('inner'), null)));
$inner = VolatileCache::get('k')->inner; /* a part of a value keeps the whole value held */
churn();
VolatileCache::get('churn 1');
churn();
echo $inner->value === value('inner') && $inner->inner === null ? 'right' : 'wrong';
CODE);
foreach (['run' => 'blind', 'heap' => 'bold', 'graph' => 'hasty'] as $script => $wrong) {
    foreach (['always', $wrong] as $mode) {
        exec("LARDER_COLLECT=$mode " . escapeshellarg(PHP_BINARY) . ' -n -d larder.volatile_size=1M -d extension=' . escapeshellarg($m[1]) . ' ' . escapeshellarg(__DIR__ . "/control_$script.php") . ' 2>/dev/null', $out, $code);
        echo "$mode: ", ($out[0] ?? '') === 'right' && $code === 0 ? 'right' : 'noticed', "\n";
        $out = [];
    }
}
?>
--CLEAN--
<?php foreach (['run', 'heap', 'graph'] as $script) unlink(__DIR__ . "/control_$script.php");
--EXPECT--
always: right
blind: noticed
always: right
bold: noticed
always: right
hasty: noticed
