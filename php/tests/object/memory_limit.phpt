--TEST--
larder: object: a graph that memory_limit cannot hold ends the request in order, and the entry stays
--EXTENSIONS--
larder
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP'); ?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
#[AllowDynamicProperties] class P { public $a; public $b = [1, 2]; }
class Day extends DateTime { public $p = 'none'; private ?object $q = null; function __construct($p) { parent::__construct('2024-01-01 EST'); $this->p = [$p]; $this->q = $p; } }
class Span extends DatePeriod { private $p; function __construct($p) { parent::__construct(new DateTime('2024-01-01 EST'), new DateInterval('P1D'), 3); $this->p = $p; } }
class St { public $s; function __construct($s) { $this->s = $s; } function __serialize(): array { return ['s' => $this->s]; } function __unserialize(array $d): void { $this->s = $d['s']; } }
if ($n === 0) {
    $list = ['o' => new P, 'text' => str_repeat('x', 100)];
    for ($i = 0; $i < 8000; $i++) {
        $p = new P;
        $p->a = ['x' => new stdClass, 'k' => $i];
        $p->{"d$i"} = $p;
        $p->b = match ($i % 10) { 0 => new St(new P), 1 => new Day(new P), 2 => new ArrayObject([1, 'k' => new P]), 3 => new ArrayObject(['k' => 'v']), 4 => SplFixedArray::fromArray([new P, 'text', new Day($p)]), 5 => (function () use ($p) { $q = new SplQueue; array_map([$q, 'push'], [1, new P, [2, $p], 'text']); return $q; })(), 7 => new Span([$p]), 6 => new ArrayIterator([new ArrayObject($list), $list]), default => [1, 2] };
        $v[] = $p;
    }
    die(VolatileCache::set('k', $v) ? 'stored' : 'not stored');
}
if ($n > 50) {
    for ($i = 0; $i < 1100; $i++) VolatileCache::set("small$i", [$i]);
    for ($i = 0; $i < 1100; $i++) $hold[] = VolatileCache::get("small$i");
}
register_shutdown_function(function () { ini_set('memory_limit', '256M'); $g = VolatileCache::get('k'); echo ' then ', count($g); });
ini_set('memory_limit', (string) (memory_get_usage(true) + $n % 50 * 300000));
$g = VolatileCache::get('k');
ini_set('memory_limit', '256M');
echo 'got ', count($g);
CODE, 0, 'larder.volatile_size=64M');
echo $ask(0), "\n";
$answers = [];
for ($n = 1; $n < 100; $n += 3) {
    $answer = $ask($n);
    $answers[] = match (true) {
        $answer === 'got 8000 then 8000' => 'whole',
        $answer !== false && str_contains($answer, 'Allowed memory size') && str_ends_with($answer, ' then 8000') => 'refused',
        default => "WRONG $n: " . var_export($answer, true),
    };
}
$answers = array_unique($answers);
sort($answers);
echo implode("\n", $answers), "\n";
--EXPECT--
stored
refused
whole
