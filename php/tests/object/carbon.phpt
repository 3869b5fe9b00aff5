--TEST--
larder: object: Carbon's dates, whose own hooks are called, come back as from unserialize()
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/carbon.php';
if (carbon_autoload() === null) die('skip composer cannot install nesbot/carbon');
?>
--INI--
date.timezone=Europe/Paris
error_reporting=E_ALL & ~E_DEPRECATED
memory_limit=256M
--FILE--
<?php
use Carbon\{Carbon, CarbonImmutable, CarbonInterval, CarbonPeriod, CarbonTimeZone};
use Larder\VolatileCache;

require __DIR__ . '/../include/carbon.php';
require carbon_autoload();
class Meeting { public function __construct(public CarbonImmutable $at, private CarbonInterval $takes, public ?Meeting $next = null) {} public function end() { return $this->at->add($this->takes)->toIso8601String(); } }
class Local extends CarbonImmutable { public function __serialize(): array { return ['only' => $this->format('Y')]; } public function __unserialize(array $data): void { $this->__construct($data['only'] . '-01-01'); } }
$meeting = new Meeting(CarbonImmutable::parse('2024-03-31 01:30 Europe/Paris'), CarbonInterval::minutes(90));
$values = [new Carbon('2024-02-29 12:00:01.5 Asia/Tokyo'), CarbonImmutable::parse('2024-10-27 02:30'), Carbon::create(2020, 1, 1, 0, 0, 0, '+05:30'), CarbonImmutable::now('EST'), Carbon::now()->locale('fr'),
    CarbonTimeZone::create('Europe/Paris'), CarbonInterval::create(1, 2, 0, 3), CarbonPeriod::create('2024-01-01', '1 day', '2024-01-05'), $meeting, new Local('1999-05-05'), [$meeting, $meeting->at, new Meeting($meeting->at, CarbonInterval::hours(1), $meeting)]];
foreach ($values as $i => $value) {
    VolatileCache::set('v', $value) || die("cannot store $i\n");
    $wanted = unserialize(serialize($value));
    $got = VolatileCache::get('v');
    if (serialize($got) !== serialize($wanted) || (is_object($got) && get_class($got) !== get_class($value))
        || ($got instanceof DateTimeInterface && ($got != $wanted || $got->format('c u T') !== $wanted->format('c u T') || $got->isoFormat('LLLL') !== $wanted->isoFormat('LLLL')))) { echo "$i differs\n"; var_dump($got, $wanted); }
}
VolatileCache::set('v', $values);
$got = VolatileCache::get('v');
var_dump($got[8]->end() === unserialize(serialize($meeting))->end(), $got[10][1] === $got[10][0]->at, $got[10][2]->next === $got[8], $got[9]->format('Y-m-d'), $got[0]->addDay()->format('Y-m-d'), count($got[7]));
--EXPECT--
bool(true)
bool(true)
bool(true)
string(10) "1999-01-01"
string(10) "2024-03-01"
int(5)
