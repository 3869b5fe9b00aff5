--TEST--
larder: statics: delete() of a class, clear(), getCacheStoreType(), keyInfo(), entry_count and keys()
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('api', <<<'CODE'
    class Foo {
        #[VolatileStatic(ttl: 100)] public static $v = 'default';
        #[VolatileStatic] private static $hidden = 'default';
        #[PinnedStatic] protected static $p = 'default';
        public static $plain = 1;
        static function set($x) { self::$v = self::$hidden = self::$p = $x; }
        static function all() { return json_encode([self::$v, self::$hidden, self::$p]); }
        #[VolatileStatic] static function method($set = null) { static $m = 'default'; return $set === null ? $m : $m = $set; }
    }
    class Bar extends Foo { #[VolatileStatic] public static $bar = 'default'; }
    class Foobar { #[VolatileStatic] public static $v = 'default'; }
    CODE);
$run = fn (string $code) => request("require '$file'; $code");
$all = fn () => $run('return Foo::all() . " " . Foo::method() . " " . json_encode([Bar::$bar, Foobar::$v]);');
$set = 'Foo::set(["x"]); Foo::method("set"); Bar::$bar = Foobar::$v = 1;';
echo $run("$set VolatileCache::set('Foo', 'a key'); VolatileCache::set('foo', 'another'); return VolatileCache::info()->entry_count . ' ' . PinnedCache::info()->entry_count . ' ' . json_encode([count(VolatileCache::keys()), PinnedCache::keys()]);"), "\n";
echo $all(), "\n";
echo $run('return json_encode(array_map(fn ($x) => VolatileCache::getCacheStoreType(...$x)->name, [["v", "Foo"], ["\$v", "\\\\Foo"], ["hidden", "foo"], ["v", "Bar"], ["bar", "Bar"], ["plain", "Foo"], ["p", "Foo"], ["none", "Foo"], ["v", "None"], ["method()::\$m", "Foo"]]));'), "\n";
echo $run('return json_encode(array_map(fn ($x) => PinnedCache::getCacheStoreType(...$x)->name, [["p", "Foo"], ["v", "Foo"]]));'), "\n";
echo $run('$i = VolatileCache::keyInfo("v", "Foo"); return json_encode([$i->key, $i->store_type->name, $i->size > 50, $i->ttl > 0 && $i->ttl <= 100, VolatileCache::keyInfo("hidden", "Foo")->ttl, VolatileCache::keyInfo("none", "Foo"), VolatileCache::keyInfo("Foo")->key]);'), "\n";
echo 'delete: ', $run('return json_encode([VolatileCache::delete("Foo"), VolatileCache::delete("Foo"), VolatileCache::delete("nothing"), Foo::all()]);'), ' ', $all(), "\n";
echo 'pinned: ', $run('return json_encode([PinnedCache::delete("\\\\Foo"), PinnedCache::delete(Foo::class)]);'), ' ', $all(), "\n";
echo 'a class that is not loaded yet: ', $run($set), request("spl_autoload_register(fn (\$c) => \$c === 'Foo' ? require '$file' : 0); return json_encode([Larder\\VolatileCache::delete('Foo'), Larder\\VolatileCache::delete('Foo')]);"), ' ', $all(), "\n";
echo 'clear: ', $run("$set VolatileCache::clear(); PinnedCache::clear(); return VolatileCache::info()->entry_count . Foo::all();"), ' ', $all(), "\n";
echo 'changed after clear: ', $run("$set VolatileCache::clear(); Foo::\$v = 'later'; touch2(); function touch2() {}"), $all(), "\n";
foreach (['VolatileCache', 'PinnedCache'] as $class) {
    try { ("Larder\\$class")::get("\0lrdsfoo\0v\0"); } catch (ValueError $e) { echo $e->getMessage(), "\n"; }
}
?>
--EXPECT--
7 1 [2,[]]
[["x"],["x"],["x"]] set [1,1]
["SharedGraph","SharedGraph","SharedGraph","SharedGraph","Scalar","NotFound","NotFound","NotFound","NotFound","Scalar"]
["SharedGraph","NotFound"]
["Foo::$v","SharedGraph",true,true,null,null,"Foo"]
delete: [true,false,false,"[[\"x\"],[\"x\"],[\"x\"]]"] ["default","default",["x"]] default [1,1]
pinned: [true,false] ["default","default","default"] default [1,1]
a class that is not loaded yet: [false,false] [["x"],["x"],["x"]] set [1,1]
clear: 0[["x"],["x"],["x"]] ["default","default","default"] default ["default","default"]
changed after clear: ["later","default",["x"]] default ["default","default"]
Larder\VolatileCache::get(): Argument #1 ($key) must not begin with "\0lrd", which is reserved
Larder\PinnedCache::get(): Argument #1 ($key) must not begin with "\0lrd", which is reserved
