--TEST--
larder: object: fetching dates and collections takes no memory, and cycles through them are collected
--EXTENSIONS--
larder
--INI--
date.timezone=Europe/Paris
--FILE--
<?php
/* LARDER_FETCHES: how often each value is fetched. */
use Larder\VolatileCache;

class Day extends DateTimeImmutable { public $extra = [1]; private ?object $link = null; function link($o) { $this->link = $o; return $this; } }
class Span extends DatePeriod { private $link; function link($o) { $this->link = $o; return $this; } }
class Box extends ArrayObject { public $label = 'l'; }
$times = (int) (getenv('LARDER_FETCHES') ?: 2000);
$o = new stdClass;
$map = ['k' => new Box, 'list' => [1, 2], 'text' => str_repeat('x', 100)];
$values = ['DateTime' => new DateTime, 'abbreviation' => new DateTime('2024-01-01 EST'), 'offset' => new DateTimeImmutable('2024-01-01 +02:00'), 'near a change' => new DateTime('2024-10-27 02:30'), 'zone' => new DateTimeZone('EST'), 'zone id' => new DateTimeZone('Asia/Tokyo'),
    'interval' => new DateInterval('P1D'), 'from text' => DateInterval::createFromDateString('next weekday'), 'period' => new DatePeriod(new Day('2024-01-01'), new DateInterval('P1D'), 3), 'plain period' => new DatePeriod(new DateTime('2024-01-01 EST'), new DateInterval('P1D'), new DateTime('2024-10-27 02:30')), 'span' => (new Span(new DateTimeImmutable('2024-01-01'), new DateInterval('P1D'), 3))->link([new Box]), 'day' => (new Day('2024-01-01'))->link(new Box([new Day('2020-01-01')])),
    'array object' => new ArrayObject($map), 'plain array object' => new ArrayObject(['a' => 1, 'b' => 'text']), 'empty' => new ArrayObject, 'list' => new ArrayIterator([1, 2, 3]), 'shared array' => [new ArrayObject($map), new ArrayObject($map), $map],
    'fixed' => SplFixedArray::fromArray([1, 'a', $o, $map]), 'storage' => (function () use ($o) { $s = new SplObjectStorage; $s[$o] = new DateTime; return $s; })(), 'queue' => (function () { $q = new SplQueue; $q[] = new Box([1]); return $q; })()];
$box = new Box; $box['self'] = $box; $box->label = [$box];
$row = new SplFixedArray(2); $row[0] = $row; $row[1] = new ArrayObject([$row]);
$s = new SplObjectStorage; $s[$s] = $s;
$day = new Day('2024-01-01'); $day->link(new ArrayObject([$day]));
$span = new Span(new DateTime('2024-01-01 EST'), new DateInterval('P1D'), 3); $span->link(new ArrayObject([$span]));
$values += ['span in itself' => $span, 'box in itself' => $box, 'row in itself' => $row, 'storage in itself' => $s, 'day in its box' => $day];
foreach ($values as $name => $value) {
    VolatileCache::set($name, $value);
    $run = function (int $n) use ($name) {
        for ($i = 1; $i <= $n; $i++) { $got = VolatileCache::get($name); if ($i % 100 === 0) { unset($got); gc_collect_cycles(); } }
        unset($got); gc_collect_cycles();
        return memory_get_usage();
    };
    $run(200);
    $before = $run(200);
    if (($grown = $run($times) - $before) !== 0) echo "$name: $grown bytes\n";
    if (serialize(VolatileCache::get($name)) !== serialize(unserialize(serialize($value)))) echo "$name differs\n";
    gc_collect_cycles();
}
echo "done\n";
--EXPECT--
done
