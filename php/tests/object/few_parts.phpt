--TEST--
larder: object: values of few parts come back as serialize() would give them, whatever lies in them, up to the limits and beyond
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

/* put/few.c stores values with at most 128 elements, 16 nodes, 4 enum cases, 4 classes and 8,192 bytes. put/plan.c stores all others. Both
 * must give the same results. */
class Point { public $x; public $y; protected $own = ['a' => 1]; private $none; public function __construct($x = null) { $this->x = $x; } }
class Typed { public int $unset; public ?Typed $next = null; public ?Typed $other = null; public array $list = []; }
class Told { public $a; public $b; public function __serialize(): array { return ['a' => $this->a, 'b' => [$this->b]]; } public function __unserialize(array $data): void { $this->a = $data['a']; $this->b = $data['b'][0]; } }
class Asleep { public $kept; public $left = ['default']; private $own = 5; public static int $woken = 0; public function __sleep(): array { return ['kept', 'own']; } public function __wakeup(): void { self::$woken++; } }
class Wakes { public $a; public static int $woken = 0; public function __wakeup(): void { self::$woken++; } }
#[AllowDynamicProperties] class Grows { public $slot = 1; }
enum Suit: string { case Hearts = 'h'; case Spades = 's'; case Clubs = 'c'; case Diamonds = 'd'; case Joker = 'j'; const Wild = self::Joker; }
enum Plain { case One; case Two; }
final readonly class Fixed { public function __construct(public int $id, public mixed $more = null) {} }
class Day extends DateTime { public $note = 'a note'; }
class Bag extends ArrayObject { public $label = 'a label'; private $own = [1]; }
class Line extends SplQueue { public $label; }

function value(int $depth): mixed
{
    static $objects = [], $arrays = [], $text = 'shared', $number = 7;
    if ($depth === 0) [$objects, $arrays] = [[], []];
    $some = fn(array $from) => $from[mt_rand(0, count($from) - 1)];
    $what = mt_rand(0, $depth > 3 ? 7 : 24);
    if ($what < 6) return $some([null, true, false, -1, 1.5, 'text', 'Text', str_repeat('long', mt_rand(0, 9)), 'text ' . mt_rand(0, 9), '', '7']);
    if ($what === 6) return $objects ? $some($objects) : [];
    if ($what === 7) return $arrays ? $some($arrays) : 'none';
    if ($what < 11) {
        $list = [];
        for ($i = mt_rand(0, 5); $i > 0; $i--) $list[] = value($depth + 1);
        return $arrays[] = $list;
    }
    if ($what < 13) {
        $rows = [];
        for ($i = mt_rand(1, 4); $i > 0; $i--) $rows[] = ['id' => $i, 'name' => value($depth + 2), 'status' => 'active', $i => 'text'];
        return $rows;
    }
    if ($what === 13) return mt_rand(0, 1) ? [&$text, &$text, 'k' => &$number] : [&$text, [&$text]];
    if ($what === 20) return $some([...Suit::cases(), Plain::One, Plain::Two, [Suit::Clubs], ['a' => Plain::One, 'b' => [Plain::One, Suit::Hearts]], [Suit::Wild, new Point(Suit::Wild)]]);
    if ($what === 21) return $objects[] = $some([new DateTime('2024-02-29 12:00 UTC'), new DateTimeImmutable('@' . mt_rand(0, 1 << 31)), new DateTimeZone('Europe/Paris'), new DateInterval('P1DT5M'), new Day('2024-01-01 +02:00'), new DatePeriod(new DateTime('2024-01-01 UTC'), new DateInterval('P1D'), 3)]);
    if ($what === 22) {
        $list = [];
        for ($i = mt_rand(0, 4); $i > 0; $i--) $list[] = value($depth + 1);
        $object = new ($some(['ArrayObject', 'ArrayIterator', 'Bag', 'SplDoublyLinkedList', 'SplQueue', 'SplStack', 'Line', 'SplObjectStorage', 'SplFixedArray']))();
        if ($object instanceof ArrayObject || $object instanceof ArrayIterator) foreach ($list as $key => $one) $object[$key] = $one;
        elseif ($object instanceof SplDoublyLinkedList) foreach ($list as $one) $object->push($one);
        elseif ($object instanceof SplObjectStorage) foreach ($list as $one) $object[is_object($one) ? $one : new Point($one)] = $one;
        else $object = SplFixedArray::fromArray($list);
        if ($object instanceof Line) $object->label = value($depth + 1);
        return $objects[] = $object;
    }
    if ($what === 23) return $objects[] = new Fixed(mt_rand(0, 9), value($depth + 1));
    if ($what === 24) return new Point($some(Suit::cases()));
    $objects[] = $object = new ($some(['Point', 'stdClass', 'Typed', 'Told', 'Asleep', 'Wakes', 'Grows', 'stdClass']))();
    if ($object instanceof stdClass || $object instanceof Grows)
        foreach (['one', '7', 'two'] as $name) if (mt_rand(0, 2)) $object->$name = value($depth + 1);
    if ($object instanceof Point) [$object->x, $object->y] = [value($depth + 1), value($depth + 1)];
    if ($object instanceof Typed) { $object->list = (array) value($depth + 1); if (mt_rand(0, 1)) $object->next = $object; if (mt_rand(0, 1)) $object->other = new Typed(); if (mt_rand(0, 3) === 0) $object->unset = 5; }
    if ($object instanceof Told) [$object->a, $object->b] = [value($depth + 1), value($depth + 1)];
    if ($object instanceof Asleep) $object->kept = value($depth + 1);
    if ($object instanceof Wakes) $object->a = value($depth + 1);
    return $object;
}

$kinds = [];
for ($seed = 1; $seed <= 6000; $seed++) {
    mt_srand($seed);
    $value = value(0);
    $text = serialize($value);
    Asleep::$woken = Wakes::$woken = 0;
    $wanted = unserialize($text);
    $calls = [Asleep::$woken, Wakes::$woken];
    VolatileCache::set('k', $value);
    if (mt_rand(0, 9) === 0) VolatileCache::get('k'); // the second fetch may share what the first one has built
    Asleep::$woken = Wakes::$woken = 0;
    $found = VolatileCache::get('k');
    if ([Asleep::$woken, Wakes::$woken] !== $calls || serialize($found) !== serialize($wanted)) die("seed $seed:\nwanted " . serialize($wanted) . "\ngot    " . serialize($found) . "\n");
    if (is_array($found) && array_is_list($found)) { $found[] = 1; $wanted[] = 1; if (array_key_last($found) !== array_key_last($wanted)) die("seed $seed: the next key\n"); }
    if ($found instanceof stdClass || $found instanceof Grows) { $found->more = 1; $wanted->more = 1; if (serialize($found) !== serialize($wanted)) die("seed $seed: a property more\n"); }
    $kind = VolatileCache::getCacheStoreType('k')?->name ?? 'other';
    $kinds[$kind] = ($kinds[$kind] ?? 0) + 1;
}
var_dump($kinds['SharedGraph'] > 1500);

/* Store values whose sizes lie just below and just above each limit. A limit may count immutable arrays, such as arrays from the cache. */
VolatileCache::set('arrays', array_map(fn(int $i) => [$i, "text $i"], range(1, 40)));
$immutable = VolatileCache::get('arrays');
foreach (['elements' => [126, 130], 'nodes' => [13, 18], 'text' => [7400, 8300], 'cases' => [1, 5], 'list' => [122, 130], 'immutable' => [1, 40], 'rows' => [20, 36]] as $limit => [$from, $to]) {
    for ($n = $from; $n <= $to; $n++) {
        $made = match ($limit) {
            'elements' => [new Point(1), range(1, $n - 5)],
            'nodes' => array_map(fn(int $i) => new Point($i), range(1, $n)),
            'text' => [new Point(str_repeat('x', $n)), 'b' => 'b'],
            'cases' => array_map(fn(Suit $suit) => new Point($suit), array_slice(Suit::cases(), 0, $n)),
            'immutable' => [new Point(1), ...array_slice($immutable, 0, $n), $immutable[$n - 1], array_slice($immutable, 0, 5)],
            'rows' => [new Point(1), array_map(fn(int $i) => ['id' => $i, 'name' => "row $i", 'tags' => null], range(1, $n))],
            'list' => SplFixedArray::fromArray([new Point(1), ...range(2, $n)]),
        };
        VolatileCache::set('k', $made);
        if (serialize(VolatileCache::get('k')) !== serialize($made)) die("$limit $n\n");
    }
}
$one = new Point('one');
$deep = null;
for ($i = 0; $i < 20; $i++) {
    $deep = new Typed();
    $deep->next = $last ?? null;
    $last = $deep;
    VolatileCache::set('k', $deep);
    if (serialize(VolatileCache::get('k')) !== serialize($deep)) die("depth $i\n");
    VolatileCache::set('k', $all = array_fill(0, 3 * $i + 1, $one));
    $found = VolatileCache::get('k');
    if (serialize($found) !== serialize($all) || $found[0] !== end($found)) die("owners $i\n");
}
$a = new Typed(); $b = new Typed(); $a->next = $b; $b->next = $a; $b->other = $b; $a->list = [$a, [$b]];
VolatileCache::set('k', [$b, $a]);
[$b, $a] = VolatileCache::get('k');
var_dump($a->next === $b, $b->next === $a, $b->other === $b, $a->list[0] === $a, $a->list[1][0] === $b);
/* A fetched enum case must be the program's own. Then try, in each kind of collection, an object that contains itself. */
VolatileCache::set('k', [new Point(Suit::Hearts), Suit::Spades, new ArrayObject([Suit::Hearts])]);
$found = VolatileCache::get('k');
var_dump($found[0]->x === Suit::Hearts, $found[1] === Suit::Spades, $found[2][0] === Suit::Hearts);
VolatileCache::set('k', Plain::Two);
var_dump(VolatileCache::get('k') === Plain::Two);
foreach ([new ArrayObject(), new Bag(), new SplQueue(), new SplFixedArray(2)] as $own) {
    if ($own instanceof SplQueue) array_map([$own, 'push'], ['first', $own]);
    else [$own[0], $own[1]] = ['first', $own];
    VolatileCache::set('k', $own);
    $found = VolatileCache::get('k');
    if ($found[1] !== $found || count($found) !== count($own)) die($own::class . "\n");
}
/* references stay references */
$x = 'x';
VolatileCache::set('k', [&$x, new Point(1), &$x]);
$found = VolatileCache::get('k');
$found[0] = 'changed';
var_dump($found[2], VolatileCache::get('k')[2]);
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
string(7) "changed"
string(1) "x"
