--TEST--
larder: object: dates, zones and intervals behave like unserialize()'s, near every change of an offset
--EXTENSIONS--
larder
--INI--
date.timezone=Europe/Paris
--FILE--
<?php
use Larder\VolatileCache;

/* Returns all visible state of a date. Also computes with the date, because two dates with equal texts may compute differently. */
function traits(DateTimeInterface $date): array {
    static $others;
    $others ??= [new DateTimeImmutable('2024-10-27 12:00 Europe/Paris'), new DateTimeImmutable('2024-03-31 02:30 America/New_York'), new DateTimeImmutable('1999-12-31 +02:00')];
    $later = DateTimeImmutable::createFromInterface($date)->modify('+1 day +1 hour');
    $asked = [$date->format('c u e T I Z U'), $later->format('c'), $date->getOffset(), $date->getTimezone()->getName(), serialize($date), var_export($date, true), json_encode($date),
        DateTimeImmutable::createFromInterface($date)->setTime(2, 30)->format('c U'), DateTimeImmutable::createFromInterface($date)->setTimezone(new DateTimeZone('Asia/Tokyo'))->format('c')];
    foreach ($others as $other) {
        array_push($asked, $date <=> $other, $date->diff($other)->format('%R %y %m %d %h %i %s %f %a'), $other->diff($date)->format('%R %y %m %d %h %i %s %f %a'));
    }
    return $asked;
}
function compare(array $dates): int {
    $wanted = unserialize(serialize($dates));
    VolatileCache::set('dates', $dates) || die("no room\n");
    $got = VolatileCache::get('dates');
    $wrong = 0;
    foreach ($wanted as $i => $date) {
        if (traits($got[$i]) !== traits($date) && $wrong++ < 3) var_dump(array_diff_assoc(traits($got[$i]), traits($date)), traits($date));
    }
    return $wrong;
}
$count = $wrong = 0;
foreach (['Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Pacific/Apia', 'Asia/Kathmandu', 'UTC', 'America/Sao_Paulo'] as $name) {
    $zone = new DateTimeZone($name);
    $changes = array_column($zone->getTransitions(0, 2145916800) ?: [], 'ts') ?: [0];
    $dates = [];
    foreach (array_slice([$changes[0], ...array_slice($changes, -8)], 0, 9) as $change) {
        for ($offset = -3 * 86400; $offset <= 3 * 86400; $offset += abs($offset) < 3 * 3600 ? 900 : 5 * 3600 + 900) {
            $dates[] = (new DateTimeImmutable('@' . $change + $offset))->setTimezone($zone);
        }
    }
    $dates[] = new DateTime('1600-02-29', $zone);
    $dates[] = new DateTime('2500-07-01 12:00:00.123456', $zone);
    $count += count($dates);
    $wrong += compare($dates);
}
var_dump($count > 1000, $wrong);

echo "other kinds of zones, and of years\n";
$dates = [];
foreach (['+00:00', '-00:30', '+05:45', '+14:00', '-23:59', 'EST', 'EDT', 'CEST', 'Z', 'utc', 'GMT', 'A'] as $zone)
    foreach (['0001-01-01', '1899-12-31 23:59:59.999999', '2000-02-29 12:00', '9999-12-31 23:59:59', '-0044-03-15', '0000-01-01', '+12024-06-01'] as $when)
        $dates[] = new DateTimeImmutable($when, new DateTimeZone($zone));
$dates[] = new DateTime('now');
$dates[] = (new DateTime('@5'))->modify('last day of next month 10:00');
$dates[] = DateTime::createFromFormat('!d/m/Y', '15/08/2023');
var_dump(compare($dates));

echo "zones and intervals\n";
$from = new DateTimeImmutable('2024-01-31 10:00:00.25 Europe/Paris');
$unusual = new DateInterval('P1M');
$unusual->f = 0.57; $unusual->invert = 1;
$values = [new DateTimeZone('Europe/Paris'), new DateTimeZone('+02:30'), new DateTimeZone('EDT'), new DateTimeZone('cet'), (new DateTime('2020-01-01 utc'))->getTimezone(), (new DateTime('@0'))->getTimezone(),
    new DateInterval('P1Y2M3DT4H5M6S'), new DateInterval('P3W'), $from->diff(new DateTime('2001-02-03')), $from->diff(new DateTime('2031-02-03'), true), $unusual,
    DateInterval::createFromDateString('next weekday'), DateInterval::createFromDateString('-5 hours')];
for ($i = 1; $i < 1000; $i += 2) $values[] = (new DateTime('@0'))->diff(new DateTime(sprintf('1970-01-01 00:00:00.%06d', $i)));
$clock = (new ReflectionClass('DateInterval'))->newInstance('P1D'); var_export($clock, true); count((array) $clock); $values[] = $clock; // var_export() and (array) make the interval's table of properties
VolatileCache::set('v', $values);
$wrong = 0;
foreach (unserialize(serialize($values)) as $i => $wanted) {
    $got = VolatileCache::get('v')[$i];
    $same = serialize($got) === serialize($wanted) && var_export($got, true) === var_export($wanted, true) && json_encode($got) === json_encode($wanted)
        && ($got instanceof DateTimeZone ? $got->getName() === $wanted->getName() && $got->getOffset($from) === $wanted->getOffset($from) && $got == $wanted
            : $got->days === $wanted->days && $got->format('%R%a %y') === $wanted->format('%R%a %y') && $from->add($got) == $from->add($wanted));
    if (!$same) { $wrong++; var_dump($got, $wanted); }
}
var_dump($wrong);

echo "what was fetched is its own\n";
$date = new DateTime('2024-06-01 12:00 Europe/Paris');
VolatileCache::set('pair', [$date, $date, clone $date]);
[$a, $b, $c] = VolatileCache::get('pair');
$a->modify('+1 day')->setTimezone(new DateTimeZone('EST'));
var_dump($a === $b, $b->format('c T'), $c->format('c T'), (clone $c) == $c, $c < $a, VolatileCache::get('pair')[0] == $date);
var_dump(serialize(VolatileCache::get('pair')) === serialize([$date, $date, clone $date]));
--EXPECT--
bool(true)
int(0)
other kinds of zones, and of years
int(0)
zones and intervals
int(0)
what was fetched is its own
bool(true)
string(29) "2024-06-02T05:00:00-05:00 EST"
string(30) "2024-06-01T12:00:00+02:00 CEST"
bool(true)
bool(true)
bool(true)
bool(true)
