--TEST--
larder: compat_user_cache: the methods of a status without values throw
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--FILE--
<?php
use UserCache\CachePoolStatus;
use UserCache\CacheStatus;

foreach ([CacheStatus::class, CachePoolStatus::class] as $class) {
    $status = (new ReflectionClass($class))->newInstanceWithoutConstructor();
    foreach ((new ReflectionClass($class))->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
        try {
            $method->invoke($status);
        } catch (Error $error) {
            $messages[$error->getMessage()] = ($messages[$error->getMessage()] ?? 0) + 1;
        }
    }
}
print_r($messages);
?>
--EXPECT--
Array
(
    [This UserCache\CacheStatus has no values; only UserCache\Cache returns one with values] => 19
    [This UserCache\CachePoolStatus has no values; only UserCache\Cache returns one with values] => 6
)
