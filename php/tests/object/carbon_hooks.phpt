--TEST--
larder: object: hooks of Carbon's classes are called until they were seen to keep the date alone
--EXTENSIONS--
larder
--FILE--
<?php
namespace Carbon {
    require __DIR__ . '/../include/fake_carbon.php';
    class Number extends Carbon { protected function id() { return spl_object_id($this); } }
    class NoId extends CarbonImmutable { protected function id() { return null; } }
    class StaticId extends \DateTime implements CarbonInterface { public static $constructedObjectId; public $kept = 1; public function __serialize(): array { Calls::$told++; return ['date' => $this->format('Y-m-d H:i:s.u')] + array_slice(parent::__serialize(), 1, 2); } public function __unserialize(array $data): void { Calls::$restored++; parent::__unserialize($data); } }
    /* Most of these classes do something in a hook that Carbon's hooks do not do. */
    class Later extends Carbon { public function __unserialize(array $data): void { parent::__unserialize($data); $this->modify('+1 day'); } }
    class Second extends Carbon { public function __unserialize(array $data): void { parent::__unserialize($data); $this->setTime(1, 2, 3, 4); } }
    class Mark extends CarbonImmutable { public $mark = 'none'; public function __unserialize(array $data): void { parent::__unserialize($data); $this->mark = 'restored'; } }
    class Unmark extends CarbonImmutable { public ?int $mark = 5; public function __unserialize(array $data): void { parent::__unserialize($data); unset($this->mark); } }
    #[\AllowDynamicProperties] class Adds extends Carbon { public function __unserialize(array $data): void { parent::__unserialize($data); $this->added = 1; } }
    #[\AllowDynamicProperties] class AddsDate extends Carbon { public function __unserialize(array $data): void { parent::__unserialize($data); $this->date = 'x'; } }
    class Says extends Carbon { public function __serialize(): array { return parent::__serialize() + ['more' => 1]; } }
    class Less extends Carbon { public function __serialize(): array { $state = parent::__serialize(); unset($state['timezone_type']); return $state; } }
    class Day extends Carbon { public function __serialize(): array { return ['date' => $this->format('Y-m-d 00:00:00.000000')] + parent::__serialize(); } }
    class Zone extends Carbon { public function __serialize(): array { return ['timezone' => 'Asia/Tokyo'] + parent::__serialize(); } }
    class Type extends Carbon { public function __serialize(): array { return ['timezone_type' => '3'] + parent::__serialize(); } }
    class Offset extends Carbon { public function __unserialize(array $data): void { parent::__unserialize(['timezone' => '+00:00'] + $data); } }
    class Abbreviation extends Carbon { public function __unserialize(array $data): void { parent::__unserialize(['timezone' => 'Z'] + $data); } }
    class Fixed extends Carbon { protected function id() { return 'the same in each'; } }
    class Wrong extends Carbon { protected function id() { return -1; } }
    class Hidden extends Carbon { public $hook; public function __destruct() {} }
    class Ambiguous extends Carbon { public function __unserialize(array $data): void { parent::__unserialize($data); if ($this->format('md') === '1027') $this->setTimestamp($this->getTimestamp() - 3600); } }
    class Truncates extends Carbon { public function __serialize(): array { return ['date' => $this->format('Y-m-d H:i:s.000000')] + parent::__serialize(); } public function __unserialize(array $data): void { parent::__unserialize(['date' => substr($data['date'], 0, 16)] + $data); } }
    class Repeats extends Carbon { public function __serialize(): array { $state = parent::__serialize(); return $state + ['dumpDateProperties' => ['date' => $state['date'], 'timezone' => 's']]; } }
    class Repeats2 extends Carbon { public function __serialize(): array { return parent::__serialize() + ['dumpDateProperties' => ['date' => '2000-01-01']]; } }
    class Other extends \ArrayObject { public function __serialize(): array { Calls::$told++; return (array) $this; } public function __unserialize(array $data): void { Calls::$restored++; parent::__construct($data); } }
    class NoInterface extends \DateTime { use Hooks; }
}
namespace App {
    use Carbon\{Calls, Carbon, CarbonImmutable};
    use Larder\VolatileCache;

    class Plain extends Carbon { public $note = 'none'; private ?array $list = null; public static $made = []; public function shout() { return 'A'; } public static function setTestNow($now = null) {} public function jsonSerialize(): mixed { return 1; } public function __toString(): string { return 's'; } }
    class Serializes extends Carbon { public function __serialize(): array { return parent::__serialize(); } }
    class Unserializes extends Carbon { public function __unserialize(array $data): void { parent::__unserialize($data); } }
    class Constructs extends Carbon { public function __construct($time = null, $zone = null) { parent::__construct($time, $zone); } }
    class Formats extends Carbon { public function format($format): string { return parent::format($format); } }
    class GetsZone extends Carbon { #[\ReturnTypeWillChange] public function getTimezone() { return parent::getTimezone(); } }
    class Below extends Constructs {}
    class ByTrait extends Carbon { use Own; }
    trait Own { public function id() { return parent::id(); } }
    class Destructs extends Carbon { public function __destruct() {} }

    function text($value): string { ob_start(); var_dump($value); foreach ($value as $one) echo $one instanceof \DateTimeInterface ? $one->format('c U T ') : ''; return preg_replace(['/#\d+/', '/string\(32\) "0{8}[0-9a-f]{24}"/', '/(ObjectId":protected\]=>\s+int\()\d+/'], ['#', 'ID', '$1'], ob_get_clean()); }
    function check(string $what, array $values): void
    {
        $wanted = unserialize(serialize($values));
        Calls::text();
        VolatileCache::set('v', $values) || die("cannot store $what\n");
        $got = VolatileCache::get('v');
        $calls = Calls::text();
        $again = [VolatileCache::set('v', $values), VolatileCache::get('v')];
        echo str_pad($what, 24), $calls, ', again ', Calls::text(), text($got) === text($wanted) && text($again[1]) === text($wanted) ? '' : ' DIFFERS', "\n";
        foreach ([...$got, ...$again[1]] as $i => $one) if ($one instanceof Carbon && $one->ownsId() !== $wanted[0]->ownsId()) echo "$what $i: id\n";
        if (text($got) !== text($wanted)) echo text($got), text($wanted);
    }
    $three = fn(string $class, string $zone) => [new $class('2024-01-01 12:00:00.5', new \DateTimeZone($zone)), new $class('2024-02-29 23:59:59', new \DateTimeZone($zone)), new $class('2000-07-01 00:00:00.000001', new \DateTimeZone($zone))];

    echo "known from the first on\n";
    foreach ([Carbon::class, CarbonImmutable::class, \Carbon\Number::class, \Carbon\NoId::class, \Carbon\StaticId::class, \Carbon\Repeats::class, Plain::class] as $class) check($class, $three($class, 'UTC'));
    echo "each zone by itself\n";
    foreach (['Europe/Paris', 'EST', 'EDT', '+05:30', '-00:30', 'Z'] as $zone) check($zone, $three(Carbon::class, $zone));
    check('Paris, around DST', array_map(fn($time) => new Carbon($time, 'Europe/Paris'), ['2024-10-27 02:30', '2024-03-31 02:30', '2024-10-27 01:59:59 UTC', '1900-01-01', '9999-12-31', '2050-07-01']));
    check('Paris, second 2:30', [(new Carbon('2024-10-27 01:30', 'UTC'))->setTimezone(new \DateTimeZone('Europe/Paris'))]);
    check('offset with seconds', [new Carbon('2024-01-01', new \DateTimeZone('+01:02:03'))]);
    check('year 0', [(new Carbon('2024-01-01', 'UTC'))->setDate(0, 1, 1)]);
    echo "by their hooks\n";
    foreach (['Later', 'Second', 'Mark', 'Unmark', 'Adds', 'AddsDate', 'Says', 'Repeats2', 'Less', 'Day', 'Zone', 'Type', 'Offset', 'Abbreviation', 'Fixed', 'Wrong', 'Hidden', 'NoInterface'] as $class) check($class, $three("Carbon\\$class", 'UTC'));
    check('Truncates', [new \Carbon\Truncates('2024-01-01', 'UTC'), new \Carbon\Truncates('2024-01-01 00:00:00.25', 'UTC'), new \Carbon\Truncates('2024-01-01 00:00:01', 'UTC')]);
    check('Ambiguous', [new \Carbon\Ambiguous('2024-10-27 02:30', new \DateTimeZone('Europe/Paris')), new \Carbon\Ambiguous('2024-10-27 02:45', 'Europe/Paris'), new \Carbon\Ambiguous('2024-01-01 12:00', 'Europe/Paris')]);
    check('Other', [new \Carbon\Other([1, 2]), new \Carbon\Other([3])]);
    foreach ([Serializes::class, Unserializes::class, Constructs::class, Formats::class, GetsZone::class, Below::class, ByTrait::class, Destructs::class] as $class) check($class, $three($class, 'UTC'));

    echo "an object that has more than a date\n";
    $plain = fn() => new Plain('2024-01-01', 'UTC');
    check('a slot', [(function () { $p = new Plain('2024-01-01', 'UTC'); $p->note = 'changed'; return $p; })(), $plain()]);
    check('a reference', [(function () { $p = new Plain('2024-01-01', 'UTC'); $p->note = &$GLOBALS['note']; return $p; })(), $plain()]);
    check('an unset slot', [(function () { $p = new Plain('2024-01-01', 'UTC'); unset($p->note); return $p; })(), $plain()]);
    check('added', [(function () { $p = new \Carbon\Adds('2024-01-01', 'EST'); $p->added = 2; return $p; })(), new \Carbon\Adds('2024-01-01', 'EST')]);
    check('a locale', [$plain()->translate('fr'), $plain()]);
    check('listed slots', [(function () { $p = new Plain('2024-01-01', 'UTC'); foreach ($p as $name => $value); return $p; })(), $plain()]);
    check('a stale id', [(new \ReflectionClass(Carbon::class))->newInstanceWithoutConstructor()->__unserialize(['date' => '2024-01-01', 'timezone' => 'UTC']) ?? new Carbon('2024-01-01', 'UTC')]);

    echo "identity, and among others\n";
    $day = new Carbon('2024-01-01', 'UTC');
    $box = new \ArrayObject([$day, (object) ['day' => $day, 'period' => new \DatePeriod($day, new \DateInterval('P1D'), 2)]]);
    VolatileCache::set('v', [$box, $day]);
    $got = VolatileCache::get('v');
    var_dump($got[0][0] === $got[1], $got[0][1]->day === $got[1], $got[1]->ownsId(), $got[0][1]->period->getStartDate()->format('c'), get_class($got[0][1]->period->getStartDate()));
    $got[1]->modify('+1 day');
    var_dump($got[0][0]->format('j'), VolatileCache::get('v')[1]->format('j'), (clone $got[1])->ownsId(), Calls::text());

    echo "a hook that throws\n";
    class Tripped extends \Exception {}
    eval('namespace Carbon; class Throws extends Carbon { public static $do; public function __serialize(): array { if (self::$do === "tell") throw new \App\Tripped("told"); return parent::__serialize(); } public function __unserialize(array $data): void { if (self::$do === "restore") throw new \App\Tripped("restored"); parent::__unserialize($data); } }');
    $all = [new \Carbon\Throws('2024-01-01', 'UTC'), new \Carbon\Throws('2024-01-02', 'UTC')];
    \Carbon\Throws::$do = 'tell';
    try { VolatileCache::set('t', $all); } catch (Tripped $e) { echo $e->getMessage(), ' ', Calls::text(), "\n"; }
    \Carbon\Throws::$do = 'restore';
    VolatileCache::set('t', $all);
    try { VolatileCache::get('t'); } catch (Tripped $e) { echo $e->getMessage(), ' ', Calls::text(), "\n"; }
    \Carbon\Throws::$do = null;
    echo VolatileCache::get('t')[1]->format('c'), ' ', Calls::text(), "\n";
    echo "a hook that uses the cache\n";
    eval('namespace Carbon; class Uses extends Carbon { public static $do; public function __serialize(): array { if (self::$do) \Larder\VolatileCache::set("inner", self::$do); return parent::__serialize(); } public function __unserialize(array $data): void { parent::__unserialize($data); if (self::$do) { \Larder\VolatileCache::get("inner"); \Larder\VolatileCache::set("u", "replaced"); for ($i = 0; $i < 70; $i++) \Larder\VolatileCache::get("zone $i"); } } }');
    foreach (array_slice(\DateTimeZone::listIdentifiers(), 0, 70) as $i => $zone) VolatileCache::set("zone $i", new Carbon('2024-01-01', $zone));
    for ($i = 0; $i < 70; $i++) VolatileCache::get("zone $i");
    Calls::text();
    \Carbon\Uses::$do = [new Carbon('2024-05-05', 'UTC'), new Carbon('2024-05-05', '+01:00')];
    VolatileCache::set('u', [new \Carbon\Uses('2024-01-01', 'UTC'), new \Carbon\Uses('2024-01-02', 'UTC')]);
    echo VolatileCache::get('u')[1]->format('c'), ' ', VolatileCache::get('u'), ' ', Calls::text(), "\n";
}
--EXPECT--
known from the first on
Carbon\Carbon           told 2 restored 2, again told 0 restored 0
Carbon\CarbonImmutable  told 2 restored 2, again told 0 restored 0
Carbon\Number           told 2 restored 2, again told 0 restored 0
Carbon\NoId             told 2 restored 2, again told 0 restored 0
Carbon\StaticId         told 2 restored 2, again told 0 restored 0
Carbon\Repeats          told 2 restored 2, again told 0 restored 0
App\Plain               told 2 restored 2, again told 0 restored 0
each zone by itself
Europe/Paris            told 2 restored 2, again told 0 restored 0
EST                     told 2 restored 2, again told 0 restored 0
EDT                     told 2 restored 2, again told 0 restored 0
+05:30                  told 2 restored 2, again told 0 restored 0
-00:30                  told 2 restored 2, again told 0 restored 0
Z                       told 2 restored 2, again told 0 restored 0
Paris, around DST       told 1 restored 1, again told 0 restored 0
Paris, second 2:30      told 0 restored 0, again told 0 restored 0
offset with seconds     told 1 restored 1, again told 1 restored 1
year 0                  told 1 restored 1, again told 1 restored 1
by their hooks
Later                   told 2 restored 3, again told 0 restored 3
Second                  told 2 restored 3, again told 0 restored 3
Mark                    told 2 restored 3, again told 0 restored 3
Unmark                  told 2 restored 3, again told 0 restored 3
Adds                    told 2 restored 3, again told 0 restored 3
AddsDate                told 2 restored 3, again told 0 restored 3
Says                    told 3 restored 3, again told 3 restored 3
Repeats2                told 3 restored 3, again told 3 restored 3
Less                    told 3 restored 3, again told 3 restored 3
Day                     told 3 restored 3, again told 3 restored 3
Zone                    told 3 restored 3, again told 3 restored 3
Type                    told 3 restored 3, again told 3 restored 3
Offset                  told 2 restored 3, again told 0 restored 3
Abbreviation            told 2 restored 3, again told 0 restored 3
Fixed                   told 2 restored 3, again told 0 restored 3
Wrong                   told 2 restored 3, again told 0 restored 3
Hidden                  told 3 restored 3, again told 3 restored 3
NoInterface             told 3 restored 3, again told 3 restored 3
Truncates               told 3 restored 3, again told 1 restored 2
Ambiguous               told 1 restored 3, again told 0 restored 3
Other                   told 2 restored 2, again told 2 restored 2
App\Serializes          told 3 restored 3, again told 3 restored 3
App\Unserializes        told 3 restored 3, again told 3 restored 3
App\Constructs          told 3 restored 3, again told 3 restored 3
App\Formats             told 3 restored 3, again told 3 restored 3
App\GetsZone            told 3 restored 3, again told 3 restored 3
App\Below               told 3 restored 3, again told 3 restored 3
App\ByTrait             told 3 restored 3, again told 3 restored 3
App\Destructs           told 3 restored 3, again told 3 restored 3
an object that has more than a date
a slot                  told 2 restored 2, again told 1 restored 1
a reference             told 1 restored 1, again told 1 restored 1
an unset slot           told 1 restored 1, again told 1 restored 1
added                   told 2 restored 2, again told 1 restored 2
a locale                told 1 restored 1, again told 1 restored 1
listed slots            told 0 restored 0, again told 0 restored 0
a stale id              told 1 restored 1, again told 0 restored 0
identity, and among others
bool(true)
bool(true)
bool(true)
string(25) "2024-01-01T00:00:00+00:00"
string(13) "Carbon\Carbon"
string(1) "2"
string(1) "1"
bool(true)
string(17) "told 0 restored 0"
a hook that throws
told told 0 restored 0
restored told 1 restored 0
2024-01-02T00:00:00+00:00 told 0 restored 1
a hook that uses the cache
2024-01-02T00:00:00+00:00 replaced told 2 restored 2
