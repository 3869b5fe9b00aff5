--TEST--
larder: statics: an exception of the destructor of a replaced value comes through as it is, and the value is stored
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
larder.statics_interval=100000
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('throws', <<<'CODE'
    class Mine extends Exception {}
    class Thrower { public $n = 1; static $on = false; function __destruct() { if (self::$on) throw new Mine("from the destructor of $this->n"); } }
    class Refuses { function __serialize(): array { throw new LogicException('not me'); } }
    class Foo {
        #[PinnedStatic] public static $a = 0;
        #[PinnedStatic] public static $b = 0;
        #[PinnedStatic] public static $c = 0;
        #[VolatileStatic] public static $v = 0;
    }
    function touched() { for ($i = 0; $i < 3; $i++); }
    function told(Throwable $e) { $all = []; for (; $e !== null; $e = $e->getPrevious()) $all[] = get_class($e) . ': ' . $e->getMessage(); return implode(' <- ', $all); }
    CODE);
$catch = fn (string $code) => "Thrower::\$on = true; try { $code touched(); return 'nothing thrown'; } catch (Throwable \$e) { return told(\$e); }";
$look = "require '$file'; return json_encode([Foo::\$a, Foo::\$b, Foo::\$c, Foo::\$v]);";

/* All changes are published, and the exceptions are chained as PHP chains them. */
echo request("require '$file'; Foo::\$a = new Thrower; touched(); " . $catch('Foo::$a = 1; Foo::$b = 1;'), true), "\n";
echo request($look), "\n";
echo request("require '$file'; Foo::\$a = new Thrower; Foo::\$b = new Thrower; Foo::\$b->n = 2; touched(); " . $catch('Foo::$a = Foo::$b = Foo::$c = 2;'), true), "\n";
echo request($look), "\n";
/* Replace a value by one that cannot be stored. */
echo request("require '$file'; Foo::\$a = new Thrower; touched(); " . $catch('Foo::$a = new Refuses; Foo::$b = 3;'), true), "\n";
echo request("require '$file'; return json_encode([Foo::\$a->n, Foo::\$b]);"), "\n";
/* Here, destructors throw at the end of a request. */
echo request("require '$file'; VolatileCache::clear(); PinnedCache::clear();");
echo request("require '$file'; Thrower::\$on = true; Foo::\$v = new Thrower; touched(); Foo::\$v->n = 4; Foo::\$v = 4; Foo::\$c = 4;");
echo request("require '$file'; return json_encode([Foo::\$c, Foo::\$v]);"), "\n";
?>
--EXPECTF--
Mine: from the destructor of 1
[1,1,0,0]
Mine: from the destructor of 2 <- Mine: from the destructor of 1
[2,2,2,0]
Mine: from the destructor of 1 <- Larder\StaticCacheException: Foo::$a cannot be stored: not me <- LogicException: not me
[1,3]

Fatal error: Uncaught Mine: from the destructor of 4 in %s:%d
Stack trace:
#0 [internal function]: Thrower->__destruct()
#1 {main}
  thrown in %s on line %d
[4,4]
