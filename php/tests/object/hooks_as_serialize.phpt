--TEST--
larder: object: hooks run as in a round trip of PHP's serializer, and the result is the same
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Log { static $log = []; static function take(): array { [$log, self::$log] = [self::$log, []]; return $log; } }
class Sleeper {
    public $a = 1; private $b = [1, 2]; protected $connection = 'none'; public $d;
    function __sleep() { Log::$log[] = 'sleep'; return ['a', 'b', 'd']; }
    function __wakeup() { Log::$log[] = 'wakeup'; $this->connection = 'woken'; }
    function with($d) { $this->d = $d; $this->connection = 'changed'; return $this; }
}
class State {
    private $x;
    function __construct($x) { $this->x = $x; }
    function __serialize(): array { Log::$log[] = 'serialize ' . gettype($this->x); return ['x' => $this->x]; }
    function __unserialize(array $data): void { Log::$log[] = 'unserialize ' . gettype($data['x']); $this->x = $data['x']; }
}
class Waker { public $inner; function __wakeup() { Log::$log[] = 'waker'; } }
class MyArray extends ArrayObject { public $extra = 'e'; }
$storage = new SplObjectStorage;
$storage[new State(3)] = 'data';
$queue = new SplQueue;
$queue[] = 1;
$queue[] = new State('q');
$waker = new Waker;
$waker->inner = [new State(1), new State('two'), new State([new Sleeper])];
$mine = new MyArray([1, 2, 3]);
$mine->extra = [5];
$values = [
    'sleep' => (new Sleeper)->with(new State([1])), 'state' => new State(new State(7)), 'wakeup' => $waker,
    'ArrayObject' => new ArrayObject(['k' => new stdClass]), 'subclass' => $mine, 'storage' => $storage, 'queue' => $queue,
    'fixed' => SplFixedArray::fromArray([1, 2]), 'DateTime' => new DateTime('2024-02-29 12:00:01.5 Europe/Paris'),
    'immutable' => new DateTimeImmutable('@0'), 'zone' => new DateTimeZone('Asia/Tokyo'),
    'interval' => new DateInterval('P1DT2H'), 'period' => new DatePeriod(new DateTime('2024-01-01'), new DateInterval('P1D'), 3),
];
$dump = function ($value) { ob_start(); var_dump($value); return preg_replace('/#\d+/', '#', ob_get_clean()); };
foreach ($values as $name => $value) {
    $stored = VolatileCache::set('k', $value);
    $writing = Log::take();
    $got = VolatileCache::get('k');
    $reading = Log::take();
    $text = serialize($value);
    $same_writing = Log::take() === $writing;
    $wanted = unserialize($text);
    $same_reading = Log::take() === $reading;
    echo "$name: ", VolatileCache::getCacheStoreType('k')->name, ' ';
    var_dump($stored && $same_writing && $same_reading && $dump($got) === $dump($wanted));
}
--EXPECT--
sleep: SharedGraph bool(true)
state: SharedGraph bool(true)
wakeup: SharedGraph bool(true)
ArrayObject: SharedGraph bool(true)
subclass: SharedGraph bool(true)
storage: SharedGraph bool(true)
queue: SharedGraph bool(true)
fixed: SharedGraph bool(true)
DateTime: SharedGraph bool(true)
immutable: SharedGraph bool(true)
zone: SharedGraph bool(true)
interval: SharedGraph bool(true)
period: SharedGraph bool(true)
