--TEST--
larder: object: dates, zones, intervals and periods, and subclasses with properties
--EXTENSIONS--
larder
--INI--
date.timezone=Europe/Paris
--FILE--
<?php
use Larder\VolatileCache;

class Day extends DateTimeImmutable { public $note = 'n'; protected ?Day $next = null; private array $tags = []; public static function make($when, ...$tags) { $d = new static($when); $d->tags = $tags; return $d; } function next(?Day $d = null) { $d && $this->next = $d; return $this->next; } function tags() { return $this->tags; } }
class Hour extends DateTime { public $format = 'c'; function __wakeup(): void { parent::__wakeup(); echo "never called\n"; } }
class Span extends DateInterval { public $label; }
$values = [];
foreach (['2024-02-29 12:00:01.5 Europe/Paris', '@0', '@-5000000000', '2024-07-01 00:00 +05:30', '2024-07-01 00:00 EST', '9999-12-31 23:59:59.999999 UTC', '-0044-03-15', 'now'] as $when) array_push($values, new DateTime($when), new DateTimeImmutable($when), Day::make($when, 'a', [$when]), new Hour($when));
foreach (['UTC', 'Asia/Tokyo', '-03:30', 'EDT'] as $zone) $values[] = new DateTimeZone($zone);
$span = new Span('P1Y2M3DT4H5M6S'); $span->label = ['l'];
array_push($values, new DateInterval('PT0S'), $span, (new DateTime('@0'))->diff(new DateTime('@123456789.5')), DateInterval::createFromDateString('3 days ago'), new DatePeriod(new Day('2024-01-01'), new DateInterval('P1D'), 3), new DatePeriod(new DateTime('2024-01-01'), new DateInterval('PT1H'), new DateTime('2024-01-02'), DatePeriod::EXCLUDE_START_DATE));
$good = 0;
foreach ($values as $i => $value) {
    VolatileCache::set("d$i", $value);
    $got = VolatileCache::get("d$i"); $wanted = unserialize(serialize($value));
    if (serialize($got) === serialize($wanted) && var_export($got, true) === var_export($wanted, true) && (!$value instanceof DateTimeInterface || $got == $value && $got->format('c e u T') === $value->format('c e u T'))) $good++;
    else var_dump($value, $got);
}
var_dump($good === count($values), VolatileCache::getCacheStoreType('d0')->name, VolatileCache::getCacheStoreType('d2')->name);
$day = Day::make('2024-01-01', 'first'); $day->next($day);
VolatileCache::set('k', ['d' => $day, 'same' => $day, 'list' => array_fill(0, 3, $day)]);
$got = VolatileCache::get('k');
var_dump($got['d'] === $got['same'], $got['list'][2]->next() === $got['d'], $got['d']->tags(), $got['d']->modify('+1 day')->format('Y-m-d'), $got['d']->format('Y-m-d'));
$mutable = new DateTime('2024-01-01'); VolatileCache::set('m', $mutable); VolatileCache::get('m')->modify('+1 year'); var_dump(VolatileCache::get('m')->format('Y'));
foreach (new DatePeriod(VolatileCache::get('m'), $got = VolatileCache::get('d' . (count($values) - 5)), 2) as $date) echo $date->format('Y-m-d '), '';
echo "\n";
unset($day, $got);
gc_collect_cycles();
--EXPECT--
bool(true)
string(11) "SharedGraph"
string(11) "SharedGraph"
bool(true)
bool(true)
array(1) {
  [0]=>
  string(5) "first"
}
string(10) "2024-01-02"
string(10) "2024-01-01"
string(4) "2024"
2024-01-01 2025-03-04 2026-05-07 
