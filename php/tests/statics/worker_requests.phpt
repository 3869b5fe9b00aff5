--TEST--
larder: statics: beginRequest() gives a worker what others have published, endRequest() publishes what it has changed
--EXTENSIONS--
larder
pcntl
--INI--
larder.statics=1
larder.statics_interval=60000
--FILE--
<?php
use Larder\{CacheStrategy, PinnedStatic, VolatileCache, VolatileStatic};

final class Point
{
    public function __construct(public int $x) {}
}
final class S
{
    #[VolatileStatic] public static array $array = [0];
    #[VolatileStatic] public static int $int = 0;
    #[PinnedStatic] public static ?Point $point = null;
    #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static ?Point $tracked = null;

    #[VolatileStatic]
    public static function count(int $more): int { static $count = 0; return $count += $more; }

    public static function all(): array { return [self::$array, self::$int, self::$point?->x, self::$tracked?->x, self::count(0)]; }

    public static function set(int $n): void
    {
        self::$array = [$n, str_repeat('x', $n)];
        self::$int = $n;
        self::$point = new Point($n);
        self::$tracked ??= new Point(0);
        self::$tracked->x = $n;
        self::count($n);
    }
}
/* Runs the code in another process. */
function other(Closure $run): void
{
    $pid = pcntl_fork();
    if ($pid === 0) { Larder\beginRequest(); $run(); exit(0); }
    pcntl_waitpid($pid, $status);
}
$say = fn(string $what) => print($what . ': ' . json_encode(S::all()) . "\n");


/* Fork another worker before this process uses the static properties. */
use Larder\Queue;
$asks = Queue::open('asks');
$answers = Queue::open('answers');
$reader = pcntl_fork();
if ($reader === 0) {
    while (($ask = $asks->pop(60))?->body === 'all') {
        $ask->ack();
        Larder\beginRequest();
        $answers->push(S::all());
        Larder\endRequest();
    }
    exit(0);
}
function reader(string $what): void
{
    Queue::open('asks')->push('all');
    $answer = Queue::open('answers')->pop(60);
    echo "$what: ", json_encode($answer?->body), "\n";
    $answer?->ack();
}

$say('at first');
reader('the other worker');
other(fn() => S::set(1));
$say('others have changed them');
Larder\beginRequest();
$say('the next request');
$point = S::$point;
Larder\beginRequest();
var_dump(S::$point === $point);

S::set(2);
reader('before the end');
Larder\endRequest();
reader('published');
Larder\beginRequest();
$say('the same here');

other(fn() => S::set(3));
S::$array = ['mine'];
Larder\beginRequest();
$say('its own change stays');
Larder\endRequest();

S::$tracked->x = 7; // this change is not published
Larder\beginRequest();
$say('a change inside of an object stays');

$reference = &S::$int;
other(function () { S::$int = 4; S::$array = [4]; });
Larder\beginRequest();
var_dump($reference, S::$int);
unset($reference);
other(fn() => VolatileCache::clear());
Larder\beginRequest();
$say('entries are gone');

foreach (S::$array as $key => &$value) { // beginRequest() must not end a loop by reference
    other(fn() => S::$array = [1, 2, 3]);
    Larder\beginRequest();
    echo "$key\n";
}
unset($value);
function endless(array $argument): array { other(fn() => S::$array = ['others']); Larder\beginRequest(); return $argument; }
S::$array['nested'] = endless([1]); // endless() runs while this write is in progress
var_dump(isset(S::$array['nested']));
$asks->push('end');
pcntl_waitpid($reader, $status);

/* This process calls endRequest() without beginRequest(). The call publishes changes inside objects that the process keeps. Another worker
 * looks at the published values. */
final class Picky
{
    public static bool $refuses = false;
    public function __construct(public int $x) {}
    public function __serialize(): array { return [$this->x]; }
    public function __unserialize(array $data): void { self::$refuses ? throw new Exception('not here') : [$this->x] = $data; }
}
final class P
{
    #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static ?Point $inside = null;
    #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static ?Picky $picky = null;
    #[VolatileStatic] public static mixed $any = null;
}
$asks->clear(true); // removes the last message for the first worker
$reader = pcntl_fork();
if ($reader === 0) {
    while (($ask = $asks->pop(60)) !== null && $ask->body !== 'end') {
        Larder\beginRequest();
        if (is_int($ask->body)) P::$picky->x = $ask->body;
        $answer = [P::$inside?->x, P::$picky?->x];
        Larder\endRequest();
        $ask->ack();
        $answers->push($answer);
    }
    exit(0);
}
P::$inside = new Point(20);
P::$picky = new Picky(1);
Larder\endRequest();
reader('new objects');
P::$inside->x = 21;
Larder\endRequest();
reader('changed');
P::$inside->x = 22;
Larder\beginRequest();
echo 'between two requests: ', P::$inside->x, "\n";
Larder\endRequest();
reader('published');

/* The reader publishes a value that this process cannot restore. So this process keeps its own value, and publishes its next change. */
Larder\beginRequest();
$asks->push(2);
$answer = $answers->pop(60);
echo 'changed there: ', json_encode($answer->body), "\n";
$answer->ack();
Picky::$refuses = true;
Larder\beginRequest();
echo 'not restored: ', P::$picky->x, "\n";
P::$picky->x = 3;
Larder\endRequest();
reader('its change');
$asks->push('end');
pcntl_waitpid($reader, $status);

/* A destructor throws when the program replaces the destructor's object. After that, exit() in a hook ends the program. */
final class Throws { public function __destruct() { throw new Exception('of a destructor'); } }
final class Exits { public function __serialize(): array { exit("exit in a hook\n"); } }
P::$any = [new Throws];
Larder\endRequest();
P::$any = 1;
try { Larder\endRequest(); echo "nothing thrown\n"; } catch (Exception $e) { echo $e->getMessage(), "\n"; }
P::$any = new Exits;
Larder\endRequest();
echo "the program went on\n";
--EXPECT--
at first: [[0],0,null,null,0]
the other worker: [[0],0,null,null,0]
others have changed them: [[0],0,null,null,0]
the next request: [[1,"x"],1,1,1,1]
bool(true)
before the end: [[2,"xx"],2,2,1,3]
published: [[2,"xx"],2,2,2,3]
the same here: [[2,"xx"],2,2,2,3]
its own change stays: [["mine"],3,3,3,6]
a change inside of an object stays: [["mine"],3,3,7,6]
int(3)
int(3)
entries are gone: [[4],3,3,7,6]
0
bool(true)
new objects: [20,1]
changed: [21,1]
between two requests: 22
published: [22,1]
changed there: [22,2]
not restored: 1
its change: [22,3]
of a destructor
exit in a hook
