<?php

/* Tests remember() and lock() in coroutines, for embed_coroutines.c. Returns true if all results are right. */

declare(strict_types=1);

use Larder\VolatileCache;

$wrong = [];
$check = static function (string $what, mixed $is, mixed $wanted) use (&$wrong): void {
    if ($is !== $wanted) {
        $wrong[] = "$what: " . json_encode($is) . ', not ' . json_encode($wanted);
    }
};

/** Calls $then in $levels nested calls, on a stack of more than one page. */
function deep(int $levels, callable $then): mixed
{
    return $levels === 0 ? $then() : deep($levels - 1, $then);
}

// Two coroutines compute the same value, and each pauses during its computation.
$got = [];
foreach ([1, 2] as $i) {
    $both[$i] = function () use ($i, &$got): void {
        $got[$i] = deep(300 * $i, fn() => VolatileCache::remember('k', function () use ($i) { pause(); return "of $i"; }));
    };
}
resume($both[1]);
resume($both[2]);
$check('main computes while they do', VolatileCache::remember('k', fn() => 'of main'), 'of main');
VolatileCache::delete('k');
resume($both[2]);
resume($both[1]);
$check('two coroutines', $got, [2 => 'of 2', 1 => 'of 1']);

// $needs calls remember('own') again. Larder must notice this, even if another coroutine computes 'own' in between.
$needs = function () use (&$needs, &$said): mixed {
    $other = fn() => VolatileCache::remember('own', function () { pause(); return 'other'; });
    resume($other);
    resume($other);
    VolatileCache::delete('own');
    pause();
    return deep(300, fn() => VolatileCache::remember('own', $needs));
};
$recursive = function () use ($needs, &$said): void {
    try {
        VolatileCache::remember('own', $needs);
    } catch (Larder\StaticCacheException $error) {
        $said = $error->getMessage();
    }
};
resume($recursive);
resume($recursive);
$check('recursion', $said ?? null, 'remember() of key "own" was called by its own $compute');

$generator = function () use (&$got): void {
    $values = (function () { yield VolatileCache::remember('g', function () { pause(); return 'generated'; }); })();
    $got = iterator_to_array($values);
};
resume($generator);
$check('another one computes what a generator does', VolatileCache::remember('g', fn() => 'other'), 'other');
resume($generator);
$check('a generator', $got, ['generated']);
$fiber = function () use (&$got): void {
    $inner = new Fiber(fn() => VolatileCache::remember('f', function () { Fiber::suspend(); return 'of a fiber'; }));
    $inner->start();
    $got = [VolatileCache::remember('f', fn() => 'of its coroutine')];
    $inner->resume();
    $got[] = $inner->getReturn();
};
resume($fiber);
$check('a fiber of a coroutine', $got, ['of its coroutine', 'of a fiber']);

// A lock belongs to the coroutine that took it.
$got = [];
$first = function () use (&$got): void {
    $got[] = VolatileCache::lock('l');
    pause();
    $got[] = VolatileCache::unlock('l');
};
resume($first);
resume(function () use (&$got): void { array_push($got, VolatileCache::unlock('l'), VolatileCache::lock('l')); });
array_push($got, VolatileCache::unlock('l'), VolatileCache::lock('l'));
resume($first);
array_push($got, VolatileCache::lock('l'), VolatileCache::unlock('l'));
$check('locks', $got, [true, false, false, false, false, true, true, true]);

$needs = null; // break the cycle: the closure refers to itself through this variable
echo $wrong === [] ? "all right\n" : implode("\n", $wrong) . "\n";
return $wrong === [];
