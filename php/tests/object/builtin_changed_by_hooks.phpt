--TEST--
larder: object: hooks that change the dates and collections they lie in, while these are stored
--EXTENSIONS--
larder
--INI--
date.timezone=UTC
--FILE--
<?php
use Larder\VolatileCache;

class Day extends DateTime { public $extra; public $other; }
class Doing { public $id = 1; public ?Closure $do = null; function __construct(?Closure $do = null) { $this->do = $do; } function __serialize(): array { ($this->do)?->__invoke(); return ['id' => $this->id]; } function __unserialize(array $data): void { $this->id = $data['id']; } }
$makes = [
    'appends' => function () { $a = new ArrayObject; $a[] = new Doing(function () use ($a) { for ($i = 0; $i < 100; $i++) $a["more $i"] = $i; }); $a[] = 2; return $a; },
    'exchanges' => function () { $a = new ArrayObject; $a[] = new Doing(fn() => $a->exchangeArray([new ArrayObject([5]), 6])); $a[] = [7]; return $a; },
    'empties' => function () { $a = new ArrayIterator; $a['k'] = new Doing(function () use ($a) { foreach (iterator_to_array($a) as $k => $_) unset($a[$k]); }); $a[] = new Doing; return $a; },
    'flags' => function () { $a = new ArrayObject([1]); $a[] = new Doing(fn() => $a->setFlags(ArrayObject::ARRAY_AS_PROPS)); return $a; },
    'shrinks' => function () { $f = new SplFixedArray(50); $f[0] = new Doing(fn() => $f->setSize(1)); $f[49] = new Doing; return $f; },
    'grows' => function () { $f = new SplFixedArray(2); $f[1] = new Doing(function () use ($f) { $f->setSize(500); $f[499] = 'last'; }); return $f; },
    'moves' => function () { $d = new Day('2024-01-01'); $d->extra = new Doing(fn() => $d->setTimezone(new DateTimeZone('Asia/Tokyo'))->modify('+1 day')); return $d; },
    'refers' => function () { $d = new Day('2024-01-01'); $d->extra = new Doing(function () use ($d) { $x = 'referred'; $d->other = &$x; $GLOBALS['keep'] = &$x; }); return $d; },
    'breaks' => function () { $d = new Day('2024-01-01'); $d->extra = new Doing(fn() => throw new LogicException('no')); return [new ArrayObject([$d])]; },
];
foreach ($makes as $name => $make) {
    try {
        $stored = VolatileCache::set('k', $make());
        $got = VolatileCache::get('k');
        echo "$name: ", var_export($stored, true), ' ', is_object($got) ? get_class($got) : gettype($got), ' ', is_countable($got) ? count($got) : $got->format('Y'), "\n";
        if (serialize(VolatileCache::get('k')) !== serialize(unserialize(serialize($got)))) echo "differs\n";
    } catch (LogicException $e) { echo "$name: ", $e->getMessage(), "\n"; }
    unset($got);
    gc_collect_cycles();
}
--EXPECTF--
appends: true ArrayObject %d
exchanges: true ArrayObject 2
empties: true ArrayIterator %d
flags: true ArrayObject 2
shrinks: true SplFixedArray %d
grows: true SplFixedArray %d
moves: true Day 2024
refers: true Day 2024
breaks: no
