--TEST--
larder: errors: a call names the function that is not there
--EXTENSIONS--
larder
--FILE--
<?php
$pool = Larder\VolatileCache::pool('p');
foreach ([fn() => $pool->remember('k', 'none'), fn() => Larder\waitWith('no function')] as $call) {
    try {
        $call();
        echo "accepted\n";
    } catch (TypeError $e) {
        echo $e->getMessage(), "\n";
    }
}
--EXPECT--
Larder\Pool::remember(): Argument #2 ($compute) must be a valid callback, function "none" not found or invalid function name
Larder\waitWith(): Argument #1 ($wait) must be a valid callback or null, function "no function" not found or invalid function name
