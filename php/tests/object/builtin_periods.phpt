--TEST--
larder: object: periods behave like unserialize()'s: their properties, their repetitions, and their own copies of dates
--EXTENSIONS--
larder
--INI--
date.timezone=Europe/Paris
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
use Larder\VolatileCache;

class Day extends DateTimeImmutable { public $note = 'n'; }
class Span extends DatePeriod { public $note = [1]; private int|string $typed; protected ?object $link = null; public ?self $next = null; public $lost = 'default';
    function fill($note, $typed, $link = null) { $this->note = $note; $this->typed = $typed; $this->link = $link; return $this; } function bind(&$r) { $this->note = &$r; return $this; } }
class Child extends Span { private $typed = 'of the child'; function __set($name, $value) { throw new LogicException("set $name"); } function __get($name) { self::$asked .= "$name "; return null; } static $asked = ''; }
class Doing { private $do; function __construct(?Closure $do = null) { $this->do = $do; } function __serialize(): array { $this->do?->__invoke(); return []; } function __unserialize(array $data): void {} }
class Loud extends DateTime { function __serialize(): array { echo "never called\n"; return parent::__serialize(); } }
class Fixed extends DatePeriod { public readonly int $id; function id($id) { $this->id = $id; return $this; } }
class FixedChild extends Fixed {}
class Redeclared extends DatePeriod { public ?DateTimeInterface $start; public $after = 1; }
class Own extends DatePeriod { function __serialize(): array { echo 'out '; return parent::__serialize(); } function __unserialize(array $data): void { echo 'in '; parent::__unserialize($data); } }
class Empty_ extends DatePeriod { function __construct() {} }
class Half extends DatePeriod { function __construct() { try { parent::__construct(new DateTime('2024-01-01'), new DateInterval('P1D'), -1); } catch (Exception $e) {} } }
#[AllowDynamicProperties] class Open extends DatePeriod {}

/* Returns all visible state of a period. Reading this state changes the period. */
function traits(DatePeriod $period): array {
    $asked = [serialize($period), print_r($period, true), var_export($period, true), json_encode($period), count((array) $period), $period->getRecurrences(), $period->recurrences,
        $period->include_start_date, $period->include_end_date, serialize([$period->start, $period->current, $period->end, $period->interval]), $period->start === $period->start, $period->start !== $period->getStartDate()];
    $spring = new DateTime('2024-03-30 12:30 Europe/Paris');
    $asked[] = (clone $spring)->add($period->interval)->format('c u') . (clone $spring)->sub($period->getDateInterval())->format('c u') . $period->interval->format('%R %a %d %f');
    $properties = new ReflectionClass(DatePeriod::class);
    foreach ($properties->getProperties() as $property) $asked[] = $property->isInitialized($period);
    foreach ([$period->getStartDate(), $period->start, $period->getEndDate(), $period->end, $period->current] as $date)
        $asked[] = $date === null ? null : [get_class($date), $date->format('c u e T I U'), $date->getOffset(), DateTimeImmutable::createFromInterface($date)->modify('+1 day +3 hours')->format('c T')];
    $copy = clone $period;
    $i = 0;
    foreach ($period as $n => $date) { $asked[] = $n . get_class($date) . $date->format('c u e T U') . $period->current?->format('c T'); if ($i++ > 20) break; }
    array_push($asked, serialize($period), serialize($copy), outcome(fn() => [serialize(unserialize(serialize($period)))]));
    if ($period->start instanceof DateTime) $period->start->modify('+1 year');
    array_push($asked, print_r($period, true), serialize($period), print_r($copy, true));
    return $asked;
}
function lose(DatePeriod $period, string ...$names): void { foreach ($names as $name) try { unset($period->$name); } catch (Error $e) {} } // PHP 8.5 and later refuse to unset these properties
function outcome(Closure $run): array { try { return $run(); } catch (Throwable $e) { return [get_class($e), $e->getMessage()]; } }
function wanted(DatePeriod $period): array { return outcome(fn() => traits(unserialize(serialize($period)))); }
function got(DatePeriod $period): array { return outcome(fn() => VolatileCache::set('p', $period) ? traits(VolatileCache::get('p')) : ['no room']); }
function child(Closure $run): void { if (($pid = pcntl_fork()) === 0) { $run(); $GLOBALS['self']->next = null; exit; } pcntl_waitpid($pid, $status); if ($status !== 0) echo "status $status\n"; }
function compare(array $periods): int {
    $wrong = 0;
    foreach ($periods as $name => $period) {
        $wanted = wanted($period);
        foreach ([got($period), got($period)] as $got) if ($got !== $wanted && $wrong++ < 3) { echo "$name: "; var_dump(array_diff_assoc(array_map(serialize(...), $got), array_map(serialize(...), $wanted)), array_diff_assoc(array_map(serialize(...), $wanted), array_map(serialize(...), $got))); }
    }
    return $wrong;
}

echo "dates, zones, intervals, ends\n";
$unusual = new DateInterval('P1D'); $unusual->f = 0.57; $broken = (new DateTime('@0'))->diff(new DateTime('1970-01-01 00:00:00.000996 UTC')); // this difference is a microsecond too short
 $backward = (new DateTime('2024-01-31'))->diff(new DateTime('2023-11-02 05:00:00.5')); $days = (new DateTime('2024-01-01'))->diff(new DateTime('2024-01-04 00:00:00.25'));
$intervals = [new DateInterval('P1D'), new DateInterval('PT1H'), new DateInterval('PT12H'), new DateInterval('P1Y2M3DT4H5M6S'), new DateInterval('P2W'), $days, $unusual, $broken, DateInterval::createFromDateString('next weekday'), DateInterval::createFromDateString('3 days + 1 hour'), DateInterval::createFromDateString('last day of next month')];
$periods = [];
foreach (['2024-01-01', '2024-03-30 02:30', '2024-10-26 02:30', '2024-10-27 00:59:59.999999', '2024-11-02 01:30', '0001-01-01', '9999-12-31 23:00', '-0044-03-15', '+12024-06-01', '@1730000000.5'] as $when)
    foreach (['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'UTC', '+05:45', '-00:30', 'EST', 'EDT', 'Z'] as $zone) {
        $start = (new DateTime($when, $z = new DateTimeZone($zone)))->setTimezone($z);
        foreach ($intervals as $i => $interval) {
            $late = DateTimeImmutable::createFromMutable($start)->modify('+40 hours')->setTimezone(new DateTimeZone($i % 2 ? $zone : 'Asia/Tokyo'));
            $immutable = DateTimeImmutable::createFromMutable($start);
            $ended = $start->format('Y') < 9999 && $i < 8;
            $periods["$when $zone $i"] = match ($i % 4) { 0 => new DatePeriod($start, $interval, 3), 1 => $ended ? new DatePeriod($start, $interval, $late) : new DatePeriod($immutable, $interval, 1, 1), 2 => new DatePeriod($immutable, $interval, $ended ? $late : 2, DatePeriod::EXCLUDE_START_DATE), 3 => $ended ? new DatePeriod($immutable, $interval, $late, 2) : new DatePeriod($start, $interval, 4, 3) };
        }
    }
array_push($periods, new DatePeriod(new DateTime('2024-01-31'), $backward, 4), new DatePeriod(new DateTime('2024-01-01'), $intervals[0], new DateTime('+12024-06-01')), new DatePeriod(new DateTimeImmutable('2024-01-01'), $intervals[0], new DateTime('-0044-03-15')));
var_dump(count($periods) > 900, compare($periods));

echo "while they are iterated, and after that\n";
$periods = [];
foreach (['2024-10-25 02:30 Europe/Paris', '2024-03-08 02:30 America/New_York', '2024-01-01 12:00 EDT', '2024-01-01 +02:00'] as $when)
    foreach (['PT1H', 'P1D', 'PT25H30M'] as $interval)
        foreach ([1, 3, 100] as $until) {
            $periods[] = $p = new DatePeriod($until % 2 ? new DateTime($when) : new DateTimeImmutable($when), new DateInterval($interval), 60);
            foreach ($p as $n => $date) if ($n === $until) break;
        }
$periods[] = $p = new DatePeriod(new DateTime('9999-12-30'), new DateInterval('P1D'), 3); foreach ($p as $date);
$periods[] = $p = new DatePeriod(new DateTime('2024-01-01'), new DateInterval('P1D'), 3); $p->getIterator()->rewind();
var_dump(compare($periods));

echo "made from a text, looked at, written to\n";
$make = fn() => new DatePeriod(new DateTime('2024-05-05 10:00'), new DateInterval('P1D'), new DateTime('2024-05-09'));
$moved = $make(); $moved->start->modify('+1 month'); $interval = $moved->interval; $interval->d = 7; $moved->end->setTimezone(new DateTimeZone('UTC'));
$dumped = $make(); print_r($dumped, true); count((array) $dumped); gc_collect_cycles();
$walk = function ($period) { array_walk($period, function (&$value, $name) { if ($name === 'start') $value = new Loud('2000-01-01'); }); return $period; };
$walked = $walk($make()); $loud = (new Span(new DateTime('2024-05-05 10:00'), new DateInterval('P1D'), 3))->fill(1, 1, new Doing); $start = $loud->start; $start->added = new Loud('2000-01-01');
$many = [];
foreach ([[2147483647, 1], [2147483647]] as $args) try { $many[] = new DatePeriod(new DateTime('2024-01-01'), new DateInterval('P1D'), ...$args); } catch (Exception $e) {} // PHP 8.2 accepts these numbers of recurrences; later versions refuse them
$gone = $make(); lose($gone, 'start', 'recurrences');
var_dump(compare(['text' => new DatePeriod('R4/2012-07-01T00:00:00Z/P7D'), 'without start' => new DatePeriod('R1/2012-07-01T00:00:00Z/P1DT2H', 1), 'with end' => new DatePeriod('2012-07-01T00:00:00Z/P7D/2012-08-01T00:00:00Z'), 'moved' => $moved, 'dumped' => $dumped, 'walked' => $walked, 'loud' => $loud, 'gone' => $gone,
    ...$many, 'negative with end' => new Span(new DateTime('2024-01-01'), new DateInterval('P1D'), new DateTime('2023-01-01'))]));

echo "subclasses, and dates of subclasses\n";
$args = [new DateTimeImmutable('2024-01-01 EST'), new DateInterval('PT6H'), 3];
$open = new Open(...$args); $open->added = [1];
$self = (new Span(...$args))->fill('x', 1); $self->next = $self;
$lost = new Span(...$args); unset($lost->lost, $lost->note);
$outer = 'bound';
ob_start();
$subclasses = ['day' => new DatePeriod(new Day('2024-01-01'), ...array_slice($args, 1)), 'day and end' => new DatePeriod(new Day('2024-01-01'), $args[1], new DateTime('2024-01-02')), 'plain and day' => new DatePeriod(new DateTime('2024-01-01'), $args[1], new Day('2024-01-02')),
    'bare' => new Span(...$args), 'filled' => (new Span(...$args))->fill(['k' => [1]], 'text', new Span(...$args)), 'child' => (new Child(...$args))->fill(new ArrayObject([1]), 5, $args[0]), 'lost' => $lost, 'bound' => (new Span(...$args))->bind($outer),
    'readonly' => new Fixed(...$args), 'redeclared' => new Redeclared(...$args), 'own' => new Own(...$args), 'open' => $open, 'empty' => new Empty_, 'half' => new Half];
$wrong = compare($subclasses);
ob_end_clean();
var_dump($wrong, is_a(got(new Empty_)[0], Error::class, true), wanted(new Half)[0] === got(new Half)[0], compare([(new Fixed(...$args))->id(5), (new FixedChild(...$args))->id(5)]));
ob_start(); VolatileCache::set('own', new Own(...$args)); VolatileCache::get('own'); echo "\n"; ob_end_flush();

echo "what was fetched is its own\n";
$p = (new Span(new DateTime('2024-06-01 12:00'), new DateInterval('P1D'), 3))->fill($date = new DateTime('2024-01-01'), 1, $date);
VolatileCache::set('pair', [$p, $p, clone $p, $p->start, $self]);
[$a, $b, $c, $start, $ring] = VolatileCache::get('pair');
foreach ($a as $n => $date) if ($n === 1) break;
$a->start->modify('+1 year'); $a->note->modify('+1 year');
var_dump($a === $b, $b->current->format('Y-m-d'), $c->current, $c->start->format('Y'), $start === $b->start, $start->format('Y'), $ring->next === $ring, VolatileCache::get('pair')[0]->note->format('Y'), serialize(VolatileCache::get('pair')) === serialize([$p, $p, clone $p, $p->start, $self]));
VolatileCache::set('child', (new Child(new DateTime('2024-01-01'), new DateInterval('P1D'), 3))->fill(1, 2));
foreach ([VolatileCache::get('child'), unserialize(serialize(VolatileCache::get('child')))] as $child) { Child::$asked = ''; lose($child, 'interval', 'end'); var_dump(PHP_VERSION_ID >= 80500 || $child->interval === $child->end && Child::$asked === 'interval end '); }
unset($a, $b, $c, $start, $ring);
gc_collect_cycles();

echo "by content: in little more than half the room\n";
$small = fn(Closure $make) => VolatileCache::set('k', array_map($make, range(1, 100))) ? intdiv(VolatileCache::keyInfo('k')->size, 100) < 450 : null;
$day = new DateInterval('P1D');
var_dump($small(fn($i) => new DatePeriod(new DateTime('2024-01-01'), $day, $i)), $small(fn($i) => new DatePeriod(new DateTimeImmutable("@$i"), $day, new DateTime("@$i"))), $small(fn() => new DatePeriod('R4/2012-07-01T00:00:00Z/P7D')), $small(fn($i) => new Open(new DateTime('2024-10-27 02:30'), DateInterval::createFromDateString('1 day'), 1)), $small(fn() => new DatePeriod(new Day('2024-01-01'), $day, 1)));

echo "hooks inside change a period\n";
foreach (['iterates' => function ($p) { foreach ($p as $date) break; }, 'fills' => fn($p) => $p->fill([new Doing], 5), 'refers' => function ($p) { $GLOBALS['kept'] = 1; $p->bind($GLOBALS['kept']); }] as $name => $do) {
    $p = new Span(new DateTime('2024-01-01'), new DateInterval('P1D'), 3); $p->next = new Span(new DateTime('2024-01-01'), new DateInterval('P1D'), 3);
    $p->fill(1, 1, new Doing(fn() => $do($p)));
    echo "$name: "; var_dump(VolatileCache::set('k', $p) && ($got = VolatileCache::get('k')) instanceof Span && count(iterator_to_array($got)) === 4 && $got->start->format('Y') === '2024');
}
$p = $got = $do = null;
gc_collect_cycles();

echo "in another process, and where it may not be held\n";
$all = array_merge($periods, array_diff_key($subclasses, array_flip(['own', 'redeclared', 'empty', 'half'])));
$wanted = array_map(wanted(...), $all);
if (!function_exists('pcntl_fork')) die("int(0)\nint(0)\n");
child(fn() => VolatileCache::set('all', $all));
$wrong = fn(array $got) => count(array_filter(array_keys($wanted), fn($name) => outcome(fn() => traits($got[$name])) !== $wanted[$name]));
var_dump($wrong(VolatileCache::get('all')));
$hold = hold_all_that_a_request_may();
$got = VolatileCache::get('all');
VolatileCache::delete('all');
for ($i = 0; $i < 100; $i++) VolatileCache::set("over $i", str_repeat('overwritten', 9000));
var_dump($wrong($got));
$self->next = $got = null;
gc_collect_cycles();
--EXPECT--
dates, zones, intervals, ends
bool(true)
int(0)
while they are iterated, and after that
int(0)
made from a text, looked at, written to
int(0)
subclasses, and dates of subclasses
int(0)
bool(true)
bool(true)
int(0)
out in 
what was fetched is its own
bool(true)
string(10) "2024-06-02"
NULL
string(4) "2024"
bool(false)
string(4) "2024"
bool(true)
string(4) "2024"
bool(true)
bool(true)
bool(true)
by content: in little more than half the room
bool(true)
bool(true)
bool(true)
bool(true)
bool(false)
hooks inside change a period
iterates: bool(true)
fills: bool(true)
refers: bool(true)
in another process, and where it may not be held
int(0)
int(0)
