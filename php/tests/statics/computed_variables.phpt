--TEST--
larder: statics: variables with defaults that are computed get stored values with objects, which come after the file
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('computed', <<<'CODE'
    enum Suit: string { case A = 'a'; case B = 'b'; const C = 'c'; }
    class Point { public $x = 1; }
    #[PinnedStatic] function list_of() { static $x = [Suit::A]; $x[] = new Point; return $x; }
    #[VolatileStatic(strategy: CacheStrategy::Tracking)] function &tracked() { static $x = Suit::C . '!', $y = [1]; $x = [$x, new Point]; return $x; }
    class Foo { #[PinnedStatic] static function last() { static $x = Suit::A, $y = Suit::C; $before = $x; $x = Suit::B; $y .= 'y'; return [$before, $y]; } }
    CODE);
for ($i = 0; $i < 4; $i++) {
    echo request("require '$file'; list_of(); Foo::last(); return json_encode([list_of(), tracked(), Foo::last()]);", $i === 2), "\n";
}
$file = source('nothing', '#[PinnedStatic] function &nothing() { static $x = PHP_VERSION . "x", $y = PHP_VERSION . "y"; $was = json_encode([$x === null, $y === null]); $x = null; return $was; }
    #[PinnedStatic] function never() { static $x = PHP_VERSION . "x"; return $x; }');
for ($i = 0; $i < 2; $i++) {
    echo request("require '$file'; return nothing();"), "\n";
}
var_dump(request("require '$file'; return PinnedCache::keyInfo('never()::\$x', '');"));
?>
--EXPECT--
[["a",{"x":1},{"x":1}],["c!",{"x":1}],["b","cyy"]]
[["a",{"x":1},{"x":1},{"x":1},{"x":1}],[["c!",{"x":1}],{"x":1}],["b","cyyyy"]]
[["a",{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1}],[[["c!",{"x":1}],{"x":1}],{"x":1}],["b","cyyyyyy"]]
[["a",{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1},{"x":1}],[[["c!",{"x":1}],{"x":1}],{"x":1}],["b","cyyyyyyyy"]]
[false,false]
[true,false]
NULL
