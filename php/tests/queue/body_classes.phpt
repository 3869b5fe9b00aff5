--TEST--
larder: queue: a body's classes, enum cases and constants are loaded first, also where it cannot be held
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix'); ?>
--INI--
larder.queue_size=32M
--FILE--
<?php
use Larder\Queue;
use Larder\VolatileCache;

function child(Closure $run): void { if (($pid = pcntl_fork()) === 0) { try { $run(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } gc_collect_cycles(); exit; } pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }
enum Status { case Fresh; case Done; }
define('AT_RUN_TIME', 5);
class Constant { const LIST = [AT_RUN_TIME, 2]; public $a = self::LIST; public $b = AT_RUN_TIME . 'x'; }
$code = ['Job' => 'class Job extends Base { public $x = 1; public Suit $suit = Suit::Spades; }', 'Base' => 'class Base { public $list = []; }', 'Suit' => 'enum Suit: string { case Hearts = "h"; case Spades = "s"; }',
    'Hooked' => 'class Hooked { public $v = 1; function __serialize(): array { return [$this->v]; } function __unserialize(array $d): void { $this->v = $d[0] + 1; } }'];
$load = fn(string $class) => isset($code[$class]) && eval($code[$class]);
$q = Queue::open('jobs');
$push = function () use ($q, $load) {
    child(function () use ($q, $load) {
        spl_autoload_register($load);
        $job = new Job; $job->list = ['self' => $job, 'text' => str_repeat('t', 100)]; $job->suit = Suit::Hearts;
        $q->push($job);
        $q->push(['id' => 7, 'status' => Status::Done]);
        $q->push(new Constant);
        $q->push([new Hooked, new ArrayObject([new Hooked]), 'd' => new DateTimeImmutable('2024-02-29 12:00 Europe/Paris')]);
    });
};
$show = function (?Larder\Message $m) {
    $b = $m->body;
    echo match (true) {
        $b instanceof Job => 'Job ' . $b->suit->name . ' ' . var_export($b->list['self'] === $b, true) . ' ' . strlen($b->list['text']),
        $b instanceof Constant => 'Constant ' . json_encode($b),
        isset($b['status']) => 'status ' . var_export($b['status'] === Status::Done, true),
        default => "hooked {$b[0]->v} {$b[1][0]->v} " . $b['d']->format('c e'),
    }, "\n";
};
$past = function () { /* uses up the holds, so that later values are borrowed */
    static $hold = [];
    $large = Queue::open('large');
    $large->clear();
    for ($i = 0; $i < 1100; $i++) $large->push(str_repeat('l', 4200));
    foreach ($large->list() as $m) $hold[] = $m->body;
};
foreach (['held' => fn() => 0, 'past the bounds' => $past] as $how => $before) {
    echo "-- $how: pop\n";
    $push();
    child(function () use ($q, $load, $show, $before) {
        $before();
        spl_autoload_register(function ($c) use ($load) { echo "[$c] "; $load($c); });
        while ($m = $q->pop()) { $show($m); $m->ack(); }
    });
    echo "-- $how: peek, list, popMany, while the loader uses queue and cache\n";
    $push();
    $loader = function ($c) use ($q, $load) {
        for ($i = 0; $i < 100; $i++) VolatileCache::set("fill $i", str_repeat("$i", 5000));
        $other = Queue::open('other'); $other->push([$c, new ArrayObject([1])]); $other->pop()->ack(); $q->peek('1');
        $load($c);
    };
    foreach ([fn() => [$q->peek()], $q->list(...), fn() => $q->popMany(9)] as $get)
        child(function () use ($get, $show, $before, $loader) { $before(); spl_autoload_register($loader); $all = $get(); usort($all, fn($a, $b) => $a->id <=> $b->id); array_map($show, $all); });
    echo "-- $how: nobody knows the class, once: ";
    child(function () use ($q, $before) { $before(); spl_autoload_register(function ($c) { echo "[$c]\n"; }); $q->pop(); });
    echo "-- $how: the loader throws: ";
    $q->kick();
    child(function () use ($q, $before) { $before(); spl_autoload_register(fn($c) => throw new LogicException("no $c")); while ($m = $q->pop()) $m->bury(); });
    var_dump($q->info()->buried, $q->clear());
}
--EXPECT--
-- held: pop
[Job] [Base] [Suit] Job Hearts true 100
status true
Constant {"a":[5,2],"b":"5x"}
[Hooked] hooked 2 2 2024-02-29T12:00:00+01:00 Europe/Paris
-- held: peek, list, popMany, while the loader uses queue and cache
Job Hearts true 100
hooked 2 2 2024-02-29T12:00:00+01:00 Europe/Paris
Constant {"a":[5,2],"b":"5x"}
status true
Job Hearts true 100
hooked 2 2 2024-02-29T12:00:00+01:00 Europe/Paris
Constant {"a":[5,2],"b":"5x"}
status true
Job Hearts true 100
-- held: nobody knows the class, once: [Job]
Larder\StaticCacheException: Message 33554435 cannot be restored: a class of its body is gone or has changed; it was buried
-- held: the loader throws: LogicException: no Hooked
int(3)
int(4)
-- past the bounds: pop
[Job] [Base] [Suit] Job Hearts true 100
status true
Constant {"a":[5,2],"b":"5x"}
[Hooked] hooked 2 2 2024-02-29T12:00:00+01:00 Europe/Paris
-- past the bounds: peek, list, popMany, while the loader uses queue and cache
Job Hearts true 100
hooked 2 2 2024-02-29T12:00:00+01:00 Europe/Paris
Constant {"a":[5,2],"b":"5x"}
status true
Job Hearts true 100
hooked 2 2 2024-02-29T12:00:00+01:00 Europe/Paris
Constant {"a":[5,2],"b":"5x"}
status true
Job Hearts true 100
-- past the bounds: nobody knows the class, once: [Job]
Larder\StaticCacheException: Message 67108867 cannot be restored: a class of its body is gone or has changed; it was buried
-- past the bounds: the loader throws: LogicException: no Hooked
int(3)
int(4)
