--TEST--
larder: statics: defaults that are constant expressions, in parents and children
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('expressions', <<<'CODE'
    class Foo {
        const A = 'a';
        #[VolatileStatic] public static array $x = [self::A, Other::B];
        #[PinnedStatic] public static $y = PHP_VERSION_ID . 'z';
        #[PinnedStatic] public static ?Suit $suit = Suit::A;
    }
    class Child extends Foo { #[VolatileStatic] public static $c = Other::B; static function add() { static::$x[] = 1; parent::$x[] = 2; return self::$x; } }
    class Other { const B = 'b'; }
    enum Suit { case A; case B; }
    CODE);
for ($i = 0; $i < 3; $i++) {
    echo request("require '$file'; \$before = VolatileCache::info()->entry_count + PinnedCache::info()->entry_count; \$r = [Child::add(), Child::\$x === Foo::\$x, Foo::\$y === PHP_VERSION_ID . 'z', Child::\$c, Foo::\$suit->name, \$before]; Child::\$c .= 'c'; Foo::\$suit = Suit::B; return json_encode(\$r);"), "\n";
}
echo request("require '$file'; return Foo::\$x;") === ["a", "b", 1, 2, 1, 2, 1, 2] ? "fine" : "wrong", "\n";
?>
--EXPECT--
[["a","b",1,2],true,true,"b","A",0]
[["a","b",1,2,1,2],true,true,"bc","B",3]
[["a","b",1,2,1,2,1,2],true,true,"bcc","B",3]
fine
