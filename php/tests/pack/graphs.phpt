--TEST--
larder: pack: objects, enums, references, hooks, dates and collections are packed, and come back as they were
--EXTENSIONS--
larder
--INI--
larder.form=packed
date.timezone=UTC
--FILE--
<?php
use Larder\VolatileCache as Cache;

class Plain { public $a = 1; protected ?string $b = null; private array $c = []; public ?Plain $next = null; public int $unset;
    function __construct($a, $b, $c, $next = null) { [$this->a, $this->b, $this->c, $this->next] = [$a, $b, $c, $next]; } }
enum Suit: string { case Hearts = 'h'; case Spades = 's'; }
class Hooked { public $x; function __serialize(): array { return ['x' => $this->x]; } function __unserialize(array $state): void { echo '.'; $this->x = $state['x']; } }

$hooked = new Hooked; $hooked->x = [1, 'two', new DateTimeImmutable('2024-01-02 03:04:05.678 Europe/Berlin')];
$ring = new stdClass; $ring->q = 'q'; $ring->{'12'} = [[], '', 'a', '12', '2024-02-29 23:59:59']; $ring->self = $ring;
$shared = [1, 2]; $referred = ['r' => &$shared, 's' => &$shared];
$holes = range(0, 9); unset($holes[0], $holes[5], $holes[9]);
$values = [
    'objects' => new Plain(1, 'x', ['k' => [1, 2, 3]], new Plain('y', null, [])),
    'many' => array_map(fn($i) => new Plain($i, "name $i", ['id' => $i, 'tags' => ['a', 'b']]), range(1, 100)),
    'cases' => [Suit::Hearts, Suit::Spades, [Suit::Hearts], 'k' => [[Suit::Spades, 1]]],
    'hook' => $hooked, 'ring' => $ring, 'references' => $referred + ['o' => new Plain(1, '', [1.5, -3])],
    'holes' => [$holes, new Plain($holes, '', $holes)],
    'array object' => new ArrayObject(['a' => 1, 'b' => [2]]), 'fixed' => SplFixedArray::fromArray([new Plain(1, 'b', []), 2]),
    'list' => (function () { $l = new SplDoublyLinkedList; $l->push(['x' => 1]); $l->push(new Plain(1, 'b', ['y'])); return $l; })(),
    'storage' => (function () { $s = new SplObjectStorage; $s[new Plain(1, 'b', [])] = 'of it'; return $s; })(),
    'period' => [new DatePeriod(new DateTime('2024-01-01'), new DateInterval('P1D'), 3), new DateTimeZone('Asia/Tokyo')],
];
foreach ($values as $name => $value) {
    Cache::set($name, $value);
    $info = Cache::keyInfo($name);
    ob_start(); var_dump($value); $wanted = preg_replace('/#\d+/', '#', ob_get_clean());
    $got = Cache::get($name);
    ob_start(); var_dump($got); $is = preg_replace('/#\d+/', '#', ob_get_clean());
    echo $name, ': ', $info->form, ', ', $info->store_type->name, ', ', $info->size * 2 < $info->ready_size ? 'less than half' : "$info->size of $info->ready_size", ', ', $is === $wanted ? 'equal' : "$is instead of $wanted", "\n";
    unset($got);
}
// Each fetch returns new objects.
$a = Cache::get('objects'); $a->next->a = 'changed';
var_dump(Cache::get('objects')->next->a);
$again = Cache::get('references'); $again['r'][] = 3;
var_dump($again['s']);
$ring->self = null; // break the ring, because PHP does not free cycles when it ends
unset($value, $values);
gc_collect_cycles();
?>
--EXPECT--
objects: packed, SharedGraph, less than half, equal
many: packed, SharedGraph, less than half, equal
cases: packed, SharedGraph, less than half, equal
.hook: packed, SharedGraph, less than half, equal
ring: packed, SharedGraph, less than half, equal
references: packed, SharedGraph, less than half, equal
holes: packed, SharedGraph, less than half, equal
array object: packed, SharedGraph, less than half, equal
fixed: packed, SharedGraph, less than half, equal
list: packed, SharedGraph, less than half, equal
storage: packed, SharedGraph, less than half, equal
period: packed, SharedGraph, less than half, equal
string(1) "y"
array(3) {
  [0]=>
  int(1)
  [1]=>
  int(2)
  [2]=>
  int(3)
}
