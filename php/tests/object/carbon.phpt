--TEST--
larder: object: Carbon's dates come back as from unserialize(), and their hooks are hardly called
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
use Carbon\{Carbon, CarbonImmutable, CarbonInterface, CarbonInterval, CarbonTimeZone};
use Larder\VolatileCache;

require __DIR__ . '/../include/carbon.php';
require carbon_autoload();
class Meeting { public function __construct(public CarbonImmutable $at, private CarbonInterval $takes, public ?Meeting $next = null) {} public function end() { return $this->at->add($this->takes)->toIso8601String(); } }
class Local extends CarbonImmutable { public function __serialize(): array { return ['only' => $this->format('Y')]; } public function __unserialize(array $data): void { $this->__construct($data['only'] . '-01-01'); } }
$meeting = new Meeting(CarbonImmutable::parse('2024-03-31 01:30 Europe/Paris'), CarbonInterval::minutes(90));
$values = [new Carbon('2024-02-29 12:00:01.5 Asia/Tokyo'), CarbonImmutable::parse('2024-10-27 02:30'), Carbon::create(2020, 1, 1, 0, 0, 0, '+05:30'), CarbonImmutable::now('EST'), Carbon::now()->locale('fr'),
    CarbonTimeZone::create('Europe/Paris'), CarbonInterval::create(1, 2, 0, 3), CarbonTimeZone::create('+02:00'), $meeting, new Local('1999-05-05'), [$meeting, $meeting->at, new Meeting($meeting->at, CarbonInterval::hours(1), $meeting)]];
foreach ($values as $i => $value) {
    VolatileCache::set('v', $value) || die("cannot store $i\n");
    $wanted = unserialize(serialize($value));
    $got = VolatileCache::get('v');
    if (serialize($got) !== serialize($wanted) || (is_object($got) && get_class($got) !== get_class($value))
        || ($got instanceof DateTimeInterface && ($got != $wanted || $got->format('c u T') !== $wanted->format('c u T') || $got->isoFormat('LLLL') !== $wanted->isoFormat('LLLL')))) { echo "$i differs\n"; var_dump($got, $wanted); }
}
VolatileCache::set('v', $values);
$got = VolatileCache::get('v');
var_dump($got[8]->end() === unserialize(serialize($meeting))->end(), $got[10][1] === $got[10][0]->at, $got[10][2]->next === $got[8], $got[9]->format('Y-m-d'), $got[0]->addDay()->format('Y-m-d'), $got[7]->getName());
/* Returns the visible state of a date, without the ids that differ for each object. */
function seen(CarbonInterface $date): string
{
    ob_start();
    var_dump((array) $date);
    $slots = preg_replace(['/#\d+/', '/string\(32\) "0{8}[0-9a-f]{24}"/', '/(ObjectId"?\]=>\s+int\()\d+/'], ['#', 'ID', '$1'], ob_get_clean());
    return get_class($date) . $slots . $date->format('c u T e I U') . $date->isoFormat('LLLL') . $date->copy()->addHours(30)->format('c T') . $date->locale() . json_encode($date) . var_export($date->dst, true);
}
function check(string $what, CarbonInterface ...$dates): void
{
    $wanted = array_map(seen(...), unserialize(serialize($dates)));
    for ($i = 0; $i < 3; $i++) {
        VolatileCache::set('dates', $dates) || die("cannot store $what\n");
        $got = VolatileCache::get('dates');
        foreach ($got as $j => $date) {
            if (seen($date) !== $wanted[$j]) echo "$what differs\n", seen($date), $wanted[$j];
            if (!$date instanceof CarbonImmutable && ($date->year = 2030) !== (int) $date->format('Y')) echo "$what: a property cannot be set\n";
        }
    }
}
class Laravel extends Carbon { public static function setTestNow(mixed $testNow = null): void { Carbon::setTestNow($testNow); } public static function createFromId($id) { return static::now(); } public $added = []; protected ?self $link = null; }
class Counted extends Carbon { public static $calls = 0; public function format($format): string { self::$calls++; return parent::format($format); } }
foreach ([Carbon::class, CarbonImmutable::class, Laravel::class] as $class) {
    foreach (['UTC', 'Europe/Paris', 'Asia/Kathmandu', 'EST', 'EDT', 'CEST', 'Z', '+05:30', '-00:30', '+00:00', '-11:00'] as $zone)
        check("$class $zone", new $class('2024-01-01', $zone), new $class('2024-07-01 12:34:56', $zone), new $class('1969-12-31 23:59:59.999999', $zone), new $class('9999-12-31 23:59', $zone), new $class('0001-01-01', $zone));
    check("$class around DST", ...array_map(fn($time) => new $class($time, 'Europe/Paris'), ['2024-10-27 02:30', '2024-03-31 02:30', '2024-10-27 01:59:59.5', '2024-03-31 03:00']), ...[(new $class('2024-10-27 01:30', 'UTC'))->setTimezone('Europe/Paris')]);
    check("$class of years", (new $class('2024-01-01'))->setDate(-5, 1, 1));
    check("$class with a locale", (new $class('2024-01-01'))->locale('fr'), new $class('2024-01-01'), (new $class('2024-01-01'))->locale('de', 'fr'));
    check("$class with settings", (new $class('2024-01-01'))->settings(['toStringFormat' => 'Y', 'monthOverflow' => false]), new $class('2024-01-01'), (new $class('2024-01-01'))->settings(['locale' => 'fr', 'timezone' => 'Asia/Tokyo']));
    check("$class now", $class::now(), $class::parse('tomorrow'), $class::createFromTimestamp(1e9), $class::instance(new DateTime('2020-02-02')), $class::createFromFormat('Y-m-d H', '2020-02-02 5'), $class::now()->startOfDay()->addMonth());
    $class::setTestNow('2001-02-03 04:05:06');
    check("$class when it is another time", new $class('2024-01-01'), new $class('now'), $class::today('EST'));
    $class::setTestNow();
}
Carbon::macro('loud', fn() => 'loud ' . $this->year);
VolatileCache::set('v', new Carbon('2024-01-01'));
var_dump(VolatileCache::get('v')->loud());
/* Writes a mark into $lastErrors, and fetches dates. The constructor of a date overwrites $lastErrors, so the mark stays only if the fetch
 * calls no hook of Carbon: these hooks call the constructor. */
$noted = function (string $class): string {
    $values = array_map(fn($i) => new $class("2024-05-0$i 12:00", 'Asia/Tokyo'), range(1, 3));
    VolatileCache::set('v', $values);
    VolatileCache::get('v');
    foreach ([Carbon::class, CarbonImmutable::class] as $base) Closure::bind(fn() => $base::$lastErrors = ['a mark'], null, $base)();
    VolatileCache::get('v');
    return $class::getLastErrors() === ['a mark'] ? 'no' : 'yes';
};
foreach ([Carbon::class, CarbonImmutable::class, Laravel::class, Counted::class] as $class) echo "$class is constructed: ", $noted($class), "\n";
var_dump(Counted::$calls >= 3);
--EXPECT--
bool(true)
bool(true)
bool(true)
string(10) "1999-01-01"
string(10) "2024-03-01"
string(6) "+02:00"
string(9) "loud 2024"
Carbon\Carbon is constructed: no
Carbon\CarbonImmutable is constructed: no
Laravel is constructed: no
Counted is constructed: yes
bool(true)
