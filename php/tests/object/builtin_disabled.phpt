--TEST--
larder: object: classes of PHP that disable_classes names do not matter to objects of their relatives
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (PHP_VERSION_ID >= 80500) die('skip PHP 8.5 has no disable_classes');
if (PHP_DEBUG) die('skip a debug build reads the parameters of SplMinHeap::insert(), which PHP frees with SplHeap');
?>
--INI--
disable_classes=ArrayObject,SplHeap,DateTimeImmutable
date.timezone=UTC
opcache.jit=disable
--FILE--
<?php
/* The JIT is off: PHP frees the parameters of SplMinHeap::insert() when it disables SplHeap, but code of the JIT reads them. */
use Larder\VolatileCache;

/* Leave out CarbonImmutable: its parent class is disabled, so it cannot be declared here. */
eval('?>' . preg_replace('/^class CarbonImmutable .*/m', '', file_get_contents(__DIR__ . '/../include/fake_carbon.php')));

class Longest extends SplMinHeap { public $name = 'n'; protected function compare($a, $b): int { return strlen($a) <=> strlen($b); } }
class Moment extends DateTime { public $note = 'm'; }

function heap(SplHeap $heap, array $values): SplHeap { foreach ($values as $value) $heap->insert($value); return $heap; }
/* Returns the value as a text. Lists the elements of a heap, because PHP's serializer drops them. */
function seen(object $value): string { return $value instanceof SplHeap ? implode(' ', iterator_to_array($value, false)) : serialize($value); }

$values = [
    'iterator' => fn() => new ArrayIterator([1, 'a' => [2]]),
    'iterator with flags' => fn() => new ArrayIterator([1], ArrayIterator::ARRAY_AS_PROPS),
    'recursive iterator' => fn() => new RecursiveArrayIterator([1, [2]]),
    'heap' => fn() => heap(new SplMinHeap, [3, 1, 2]),
    'subclass of a heap' => fn() => heap(new Longest, ['ccc', 'a', 'bb']),
    'queue' => fn() => (function () { $queue = new SplPriorityQueue; $queue->insert('low', 1); $queue->insert('high', 2); return $queue; })(),
    'date' => fn() => new DateTime('2024-07-01 12:00 Europe/Paris'),
    'subclass of a date' => fn() => new Moment('2024-07-01 12:00:00.5 EST'),
    'date of Carbon' => fn() => new Carbon\Carbon('2024-07-01 12:00', 'Europe/Paris'),
    'period' => fn() => new DatePeriod(new DateTime('2024-07-01'), new DateInterval('P1D'), 3),
];
foreach ($values as $name => $make) {
    echo str_pad("$name:", 21);
    foreach (['ready', 'packed'] as $form) {
        VolatileCache::set('k', [$make(), $make()], form: $form);
        [$one, $other] = VolatileCache::get('k') ?? [null, null];
        if ($one instanceof SplPriorityQueue) {
            echo $one->extract(), ' ', $other->extract(), ' ';
            continue;
        }
        echo $one !== null && seen($one) === seen($make()) && seen($other) === seen($make()) ? 'the same ' : 'WRONG ';
    }
    echo "\n";
}
?>
--EXPECT--
iterator:            the same the same 
iterator with flags: the same the same 
recursive iterator:  the same the same 
heap:                the same the same 
subclass of a heap:  the same the same 
queue:               high high high high 
date:                the same the same 
subclass of a date:  the same the same 
date of Carbon:      the same the same 
period:              the same the same 
