--TEST--
larder: remember: with waitWith() a fiber that waits for another fiber lets the others run, and two that want one another's values do not wait
--EXTENSIONS--
larder
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
function say(string $what, mixed $value): void { echo $what, ': ', json_encode($value), "\n"; }

Larder\waitWith(Loop::wait(...));

// Three fibers of one process want a value. If the fiber that computes the value fails, the next fiber computes it.
$count = 0;
$want = static function () use (&$count) { return V::remember('once', function () use (&$count) { Fiber::suspend(); Fiber::suspend(); return ++$count; }); };
say('one process', Loop::run(a: $want, b: $want, c: $want));
$want = function () use (&$count) {
    try {
        return V::remember('throws', function () use (&$count) { Fiber::suspend(); return ++$count === 2 ? throw new Exception('failed') : $count; });
    } catch (Exception $e) {
        return $e->getMessage();
    }
};
say('one fails', Loop::run(a: $want, b: $want, c: $want));

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
quickly('crosswise in one process', function (int $try) use ($both) {
    $met = 0;
    $meet = function () use (&$met) { for ($met++; $met < 2;) Fiber::suspend(); return ''; };
    $got = Loop::run(a: $both("a$try", "b$try", $meet), b: $both("b$try", "a$try", $meet));
    return array_map(is_string(...), $got);
});

// A call that need not wait does not call the wait function. waitWith(null) removes the wait function.
$before = Loop::$pauses;
V::remember('new', fn() => 1);
Larder\waitWith(null);
say('no pauses', Loop::$pauses - $before);
--EXPECT--
one process: {"a":1,"b":1,"c":1}
one fails: {"a":"failed","b":3,"c":3}
crosswise in one process: {"a":true,"b":true,"for a1":true,"for b1":true}
no pauses: 0
