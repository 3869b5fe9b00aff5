--TEST--
larder: pool: methods of a pool refuse arguments that they do not have
--EXTENSIONS--
larder
--FILE--
<?php
$p = Larder\VolatileCache::pool('p');
foreach ([fn() => $p->clear(1), fn() => $p->info(1), fn() => $p->name(1)] as $call) {
    try {
        $call();
        echo "accepted\n";
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}
--EXPECT--
ArgumentCountError: Larder\Pool::clear() expects exactly 0 arguments, 1 given
ArgumentCountError: Larder\Pool::info() expects exactly 0 arguments, 1 given
ArgumentCountError: Larder\Pool::name() expects exactly 0 arguments, 1 given
