--TEST--
larder: statics: an attribute on a closure has no effect, and a warning says so when it is compiled
--EXTENSIONS--
larder
--INI--
larder.statics=1
--FILE--
<?php
set_error_handler(function (int $level, string $text) { echo $level === E_WARNING ? 'Warning: ' : "$level: ", $text, "\n"; return true; });
foreach (['#[Larder\VolatileStatic] function () { static $n = 0; return ++$n; }', '#[Larder\PinnedStatic] static fn() => 1', 'function () { static $n = 0; return ++$n; }'] as $code) {
    echo eval("return ($code)();"), "\n";
}
eval('#[Larder\VolatileStatic] function named() { static $n = 0; return (fn () => ++$n)(); } class C { #[Larder\PinnedStatic] function m() { static $f = null; $g = function () { static $n = 0; return ++$n; }; return $g(); } }');
echo named(), (new C)->m(), "\n";
?>
--EXPECT--
Warning: #[Larder\VolatileStatic] has no effect on a closure, each object of which has static variables of its own: give the attribute to a named function, a method or a static property
1
Warning: #[Larder\PinnedStatic] has no effect on a closure, each object of which has static variables of its own: give the attribute to a named function, a method or a static property
1
1
11
