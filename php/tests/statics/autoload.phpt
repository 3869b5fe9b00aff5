--TEST--
larder: statics: delete() of a key loads no class but one in a namespace, and what an autoloader throws is not passed on
--EXTENSIONS--
larder
--INI--
larder.statics=1
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

spl_autoload_register(function (string $class) {
    echo "loads $class\n";
    throw new LogicException("no class $class");
});
function told(Closure $call): void
{
    try {
        var_dump($call());
    } catch (Throwable $e) {
        echo get_class($e), ': ', $e->getMessage(), "\n";
    }
}

foreach ([VolatileCache::class, PinnedCache::class] as $cache) {
    foreach (['User_1', 'User', 'user', 'App\User'] as $key) {
        $cache::set($key, 1);
        told(fn () => $cache::delete($key));
        told(fn () => $cache::delete($key));
    }
}
spl_autoload_register($exits = function () { echo "exits\n"; exit; }, prepend: true);
register_shutdown_function(fn () => var_dump(VolatileCache::set('k', 2), VolatileCache::get('k')));
VolatileCache::delete('App\Gone');
echo "not reached\n";
?>
--EXPECT--
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
loads App\User
bool(true)
loads App\User
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
bool(true)
bool(false)
loads App\User
bool(true)
loads App\User
bool(false)
exits
bool(true)
int(2)
