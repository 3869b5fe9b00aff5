--TEST--
larder: remember: with waitWith() a fiber that waits for another process lets the others run, also crosswise
--EXTENSIONS--
larder
pcntl
--FILE--
<?php
use Larder\VolatileCache as V;

/* An event loop. It resumes all suspended fibers, one after the other. */
final class Loop
{
    public static array $fibers = [];
    public static int $pauses = 0;

    public static function wait(float $seconds): bool
    {
        self::$pauses++;
        if (Fiber::getCurrent() === null) return false;
        Fiber::suspend();
        return true;
    }

    /** Returns the results of the fibers, by their names. */
    public static function run(Closure ...$calls): array
    {
        $got = [];
        foreach ($calls as $name => $call) self::start($call, $name);
        while (self::$fibers !== []) {
            foreach (self::$fibers as $name => $fiber) {
                $fiber->isStarted() ? $fiber->resume() : $fiber->start();
                if (!$fiber->isTerminated()) continue;
                $got[$name] = $fiber->getReturn();
                unset(self::$fibers[$name]);
            }
            usleep(100);
        }
        ksort($got);
        return $got;
    }

    public static function start(Closure $call, string $name): Fiber
    {
        return self::$fibers[$name] = new Fiber($call);
    }

    /** Runs the call in another fiber, and waits for its result. */
    public static function await(Closure $call, string $name): mixed
    {
        $fiber = self::start($call, $name);
        while (!$fiber->isTerminated()) Fiber::suspend();
        return $fiber->getReturn();
    }
}
function child(Closure $run): int
{
    $pid = pcntl_fork();
    if ($pid !== 0) return $pid;
    ob_start();
    $run();
    ob_end_clean();
    exit(0);
}
function say(string $what, mixed $value): void { echo $what, ': ', json_encode($value), "\n"; }

Larder\waitWith(Loop::wait(...));

// Another process computes the value until the timer of this process has run 20 times. Two fibers of this process wait for it.
V::increment('computing', 0);
V::increment('ticks', 0);
$pid = child(fn() => V::remember('k', function () {
    V::increment('computing');
    for ($end = hrtime(true) + 60e9; V::get('ticks') < 20 && hrtime(true) < $end;) usleep(200);
    return V::get('ticks') < 20 ? 'the timer stood still' : 'of the other process';
}));
while (V::get('computing') === 0) usleep(100);
$want = fn() => V::remember('k', fn() => 'computed here');
say('another process', Loop::run(a: $want, b: $want, timer: function () {
    while (V::increment('ticks') < 20) Fiber::suspend();
}));
pcntl_waitpid($pid, $status);

/* Calls $run up to five times, until a call takes less than 9 s. A wait in vain takes 10 s in each try; a stall of the machine delays only
 * one try. */
function quickly(string $what, Closure $run): void
{
    for ($try = 1; $try <= 5; $try++) {
        $start = hrtime(true);
        $got = $run($try);
        if (hrtime(true) - $start < 9e9) break;
    }
    say($what, $try > 5 ? 'waited' : $got);
}
// Two computations need each other: each one waits for a fiber that needs the value of the other computation.
$both = fn(string $own, string $other, Closure $meet) => fn() => V::remember($own, fn() => $meet() .
    Loop::await(fn() => V::remember($other, fn() => "$other for $own"), "for $own"));
quickly('crosswise in two processes', function (int $try) use ($both) {
    V::increment("met $try", 0);
    $meet = function () use ($try) { for (V::increment("met $try"); V::get("met $try") < 2;) Fiber::suspend(); return ''; };
    $pid = child(fn() => Loop::run(a: $both("c$try", "d$try", $meet)));
    $got = Loop::run(b: $both("d$try", "c$try", $meet));
    pcntl_waitpid($pid, $status);
    return [is_string($got['b']), $status];
});

// If the wait function returns false, the call sleeps. If the wait function throws, the call ends. The last fiber is destroyed during a wait.
$computes = function (string $key) {
    $pid = child(fn() => V::remember($key, function () use ($key) { V::set("$key began", true); while (!V::get("$key end")) usleep(200); return 'computed'; }));
    while (!V::get("$key began")) usleep(100);
    return $pid;
};
$pid = $computes('main');
$before = Loop::$pauses;
Larder\waitWith(function () { Loop::$pauses++; V::set('main end', true); return false; });
say('outside of fibers', [V::remember('main', fn() => 'computed here'), Loop::$pauses > $before]);
pcntl_waitpid($pid, $status);
$pid = $computes('thrown');
Larder\waitWith(fn() => throw new LogicException('enough'));
try { V::remember('thrown', fn() => 'computed here'); } catch (LogicException $e) { say('thrown', $e->getMessage()); }
Larder\waitWith(Loop::wait(...));
$dropped = new Fiber(fn() => V::remember('thrown', fn() => 'computed here'));
$dropped->start();
unset($dropped);
V::set('thrown end', true);
pcntl_waitpid($pid, $status);
say('afterwards', V::remember('thrown', fn() => 'computed here'));
--EXPECT--
another process: {"a":"of the other process","b":"of the other process","timer":null}
crosswise in two processes: [true,0]
outside of fibers: ["computed",true]
thrown: "enough"
afterwards: "computed"
