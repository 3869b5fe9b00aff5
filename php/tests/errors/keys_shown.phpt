--TEST--
larder: errors: a message that names a key shows its bytes, and commands no terminal
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

function told(Closure $call): void
{
    try {
        $call();
    } catch (Larder\StaticCacheException $e) {
        echo $e->getMessage(), "\n";
    }
}

$key = "red \e[31m\n\\ \0\x7f \u{9b}2J";
$compute = function () use (&$compute, $key) { return VolatileCache::remember($key, $compute); };
told($compute);
told(fn () => VolatileCache::pool('p')->remember($key, fn () => VolatileCache::pool('p')->remember($key, fn () => 1)));
VolatileCache::set($key, 'no limit');
told(fn () => VolatileCache::throttle($key, 5, 60));
?>
--EXPECT--
remember() of key "red \e[31m\n\\ \x00\x7F \xC2\x9B2J" was called by its own $compute
remember() of key "red \e[31m\n\\ \x00\x7F \xC2\x9B2J" was called by its own $compute
The entry "red \e[31m\n\\ \x00\x7F \xC2\x9B2J" is no rate limit with this $sliding and $per; use another key, or delete it
