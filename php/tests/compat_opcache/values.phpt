--TEST--
larder: compat_opcache: values come back as they were, and can be changed without changing the cache
--EXTENSIONS--
larder
--INI--
larder.compat=opcache
--FILE--
<?php
function show(mixed ...$values): void { foreach ($values as $v) echo json_encode($v, JSON_PRESERVE_ZERO_FRACTION | JSON_PARTIAL_OUTPUT_ON_ERROR), ' '; echo "\n"; }

enum Suit { case Hearts; case Spades; }
final class Point { public ?Point $next = null; public function __construct(public readonly int $x, private array $list = []) {} }
$ring = new Point(1); $ring->next = new Point(2, [Suit::Spades]); $ring->next->next = $ring;
foreach (['OPcache\VolatileCache', 'OPcache\PinnedCache'] as $class) {
    foreach ([null, false, PHP_INT_MIN, -0.0, '', "\0\xff", str_repeat('long', 1000), [], [1, ['x' => null]], Suit::Hearts, range(1, 500)] as $i => $value)
        if (!$class::set('k', $value) || $class::get('k', 'default') !== $value || serialize($class::get('k')) !== serialize($value)) echo "value $i differs\n";
    $class::set('ring', $ring);
    $got = $class::get('ring');
    var_dump($got !== $ring, $got->next->next === $got, serialize($got) === serialize($ring));
    $got->next->next = null;
    $class::set('list', ['a' => [1]]);
    $list = $class::get('list'); $list['a'][] = 2;
    show($list, $class::get('list'), $class::get('ring')->next->next !== null);
}
$ring->next = $got = null; gc_collect_cycles();
--EXPECT--
bool(true)
bool(true)
bool(true)
{"a":[1,2]} {"a":[1]} true 
bool(true)
bool(true)
bool(true)
{"a":[1,2]} {"a":[1]} true 
