--TEST--
larder: remember: after a fatal error in a callback, in a fiber too, shutdown functions may remember
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache as V;

register_shutdown_function(function () {
    echo "\n", V::remember('main', fn() => 'main'), ' ', V::remember('fiber', fn() => V::remember('other', fn() => 'fiber')), "\n";
    try { V::remember('own', fn() => V::remember('own', fn() => 1)); } catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
});
ini_set('display_errors', false);
V::remember('main', function () {
    $waiting = new Fiber(fn() => V::remember('waiting', fn() => Fiber::suspend()));
    $waiting->start();
    (new Fiber(fn() => V::remember('fiber', fn() => eval('function strlen() { }'))))->start();
});
--EXPECT--

main fiber
remember() of key "own" was called by its own $compute
