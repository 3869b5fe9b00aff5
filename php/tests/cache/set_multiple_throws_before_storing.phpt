--TEST--
larder: cache: setMultiple throws before anything is stored
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

try {
    VolatileCache::setMultiple(['good' => 1, 'bad' => ['x' => fn() => 1]]);
} catch (TypeError $e) {
    echo $e->getMessage(), "\n";
}
var_dump(VolatileCache::has('good'));
--EXPECT--
Larder\VolatileCache::setMultiple(): Argument #1 ($values) must not contain an instance of Closure, found at $values['bad']['x']
bool(false)
