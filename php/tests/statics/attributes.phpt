--TEST--
larder: statics: the attributes, and their names in the layer for opcache
--EXTENSIONS--
larder
--INI--
larder.statics=1
larder.compat=opcache
--FILE--
<?php
use Larder\{VolatileStatic, PinnedStatic, CacheStrategy};
class Foo {
    const TTL = 60;
    #[VolatileStatic] public static $a;
    #[VolatileStatic(self::TTL, CacheStrategy::Tracking)] public static $b;
    #[VolatileStatic(strategy: CacheStrategy::Immediate, ttl: 5)] public static $c;
    #[PinnedStatic] public static $d;
    #[OPcache\VolatileStatic(strategy: OPcache\CacheStrategy::Tracking)] public static $e;
    #[OPcache\PinnedStatic] public static $f;
    #[PinnedStatic] function method() { static $x; }
    #[VolatileStatic(ttl: -1)] public static $wrong;
    #[VolatileStatic(ttl: 'soon')] public static $worse;
}
foreach ((new ReflectionClass('Foo'))->getProperties() as $property) {
    foreach ($property->getAttributes() as $attribute) {
        try {
            $o = $attribute->newInstance();
            echo $property->name, ': ', $attribute->getName(), ' ', json_encode($o), ' ', isset($o->strategy) ? get_class($o->strategy) . '::' . $o->strategy->name : '', "\n";
        } catch (Error $e) {
            echo $property->name, ': ', get_class($e), ': ', $e->getMessage(), "\n";
        }
    }
}
echo (new ReflectionMethod('Foo', 'method'))->getAttributes()[0]->newInstance()::class, "\n";
var_dump(CacheStrategy::from(1), CacheStrategy::Immediate->value, OPcache\CacheStrategy::tryFrom(0), (string) (new ReflectionMethod(VolatileStatic::class, '__construct'))->getParameters()[1]);
try { $o = new VolatileStatic(3); $o->__construct(4); } catch (Error $e) { echo $e->getMessage(), "\n"; }
try { $o->ttl = 4; } catch (Error $e) { echo $e->getMessage(), "\n"; }
function touched() { $GLOBALS['touched'] = true; }
Foo::$a = Foo::$b = Foo::$d = Foo::$e = Foo::$f = 1;
touched();
// In functions that the JIT has compiled as a whole, only loops are safe points.
foreach (['wrong', 'worse'] as $name) try { Foo::$$name = 1; for ($i = 0; $i < 2; $i++) touched(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
foreach (['a', 'b', 'd', 'e', 'f'] as $name) echo $name, ': ', Larder\VolatileCache::getCacheStoreType($name, 'Foo')->name, ' ', OPcache\PinnedCache::getCacheStoreType($name, 'Foo')->name, "\n";
echo Larder\VolatileCache::keyInfo('a', 'Foo')->ttl ?? 'for ever', "\n";
if (function_exists('opcache_reset')) { opcache_reset(); } else { Larder\VolatileCache::clear(); Larder\PinnedCache::clear(); }
echo Larder\VolatileCache::info()->entry_count, Larder\PinnedCache::info()->entry_count, "\n";
?>
--EXPECT--
a: Larder\VolatileStatic {"ttl":0,"strategy":0} Larder\CacheStrategy::Immediate
b: Larder\VolatileStatic {"ttl":60,"strategy":1} Larder\CacheStrategy::Tracking
c: Larder\VolatileStatic {"ttl":5,"strategy":0} Larder\CacheStrategy::Immediate
d: Larder\PinnedStatic {} 
e: OPcache\VolatileStatic {"ttl":0,"strategy":1} OPcache\CacheStrategy::Tracking
f: OPcache\PinnedStatic {} 
wrong: ValueError: Larder\VolatileStatic::__construct(): Argument #1 ($ttl) must be greater than or equal to 0
worse: TypeError: Larder\VolatileStatic::__construct(): Argument #1 ($ttl) must be of type int, string given
Larder\PinnedStatic
enum(Larder\CacheStrategy::Tracking)
int(0)
enum(OPcache\CacheStrategy::Immediate)
string(92) "Parameter #1 [ <optional> Larder\CacheStrategy $strategy = Larder\CacheStrategy::Immediate ]"
Cannot modify readonly property Larder\VolatileStatic::$ttl
Cannot modify readonly property Larder\VolatileStatic::$ttl
Foo::$wrong: #[Larder\VolatileStatic] takes an int that is not negative as $ttl
Foo::$worse: #[Larder\VolatileStatic] takes an int that is not negative as $ttl
a: Scalar NotFound
b: NotFound NotFound
d: NotFound Scalar
e: NotFound NotFound
f: NotFound Scalar
for ever
00
