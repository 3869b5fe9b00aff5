--TEST--
larder: statics: a class that has changed begins with its declared defaults, and so does a value whose class has changed
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
opcache.revalidate_freq=0
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$class = 'class Foo { const A = 1; #[VolatileStatic] public static int|array $v = 1; #[PinnedStatic] public static ?Point $p = null; function f() { return 1; } } class Point { public $x = 5; }';
$write = function (string $code) { clearstatcache(); $file = source('changes', $code); touch($file, time() - mt_rand(100, 100000)); return $file; };
foreach ([
    'nothing' => $class,
    'a comment' => "$class // more",
    'the default' => str_replace('$v = 1', '$v = 2', $class),
    'the type' => str_replace('int|array', 'int|array|string', $class),
    'a type it does not fit' => str_replace('int|array', 'array', str_replace('$v = 1', '$v = []', $class)),
    'a constant' => str_replace('A = 1', 'A = 2', $class),
    'a method' => str_replace('return 1; }', "return\n\n1; }", $class),
    'another property' => str_replace('function f', 'private static $more; function f', $class),
    'the parent' => str_replace('class Foo', 'class Foo extends ArrayObject', $class),
    'the class of the value' => str_replace('public $x = 5', 'public $x = 5, $y = 6', $class),
    'renamed' => str_replace('$v', '$w', $class),
] as $what => $changed) {
    $file = $write($class);
    request("require '$file'; VolatileCache::clear(); PinnedCache::clear();");
    request("require '$file'; Foo::\$v = 7; Foo::\$p = new Point; Foo::\$p = Foo::\$p;");
    $file = $write($changed);
    $name = str_contains($changed, '$w') ? 'w' : 'v';
    $now = request("require '$file'; return [Foo::\$$name, Foo::\$p?->x];");
    $file = $write($class);
    echo str_pad("$what:", 25), json_encode($now), ' back: ', json_encode(request("require '$file'; return [Foo::\$v, Foo::\$p?->x];")), "\n";
}
$file = source('anonymous', 'function make() { return new class { #[VolatileStatic] public static $x = 1; }; }');
request("ini_set('html_errors', 0); require '$file';");
$file = source('not_static', 'class Wrong { #[PinnedStatic] public $x = 1; }');
request("require '$file';");
?>
--EXPECTF--
nothing:                 [7,5] back: [7,5]
a comment:               [7,5] back: [7,5]
the default:             [2,null] back: [7,5]
the type:                [1,null] back: [7,5]
a type it does not fit:  [[],null] back: [7,5]
a constant:              [1,null] back: [7,5]
a method:                [1,null] back: [7,5]
another property:        [1,null] back: [7,5]
the parent:              [1,null] back: [7,5]
the class of the value:  [7,null] back: [7,5]
renamed:                 [1,null] back: [7,5]

Fatal error: Cannot apply #[Larder\VolatileStatic] in an anonymous class, whose name is another in each process in %s on line %d

Fatal error: Cannot apply #[Larder\PinnedStatic] to Wrong::$x, which is not static in %s on line %d
