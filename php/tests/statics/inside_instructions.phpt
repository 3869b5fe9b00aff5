--TEST--
larder: statics: a safe point inside an instruction, when what that has called returns: it is carried out once, and seen
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
larder.statics_interval=0
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('inside', <<<'CODE'
    class Foo {
        #[VolatileStatic] public static array $a = ['x' => ['y' => []]];
        #[PinnedStatic] public static array $p = ['x' => ['y' => []]];
        public static array $plain = ['x' => ['y' => []]];
        #[PinnedStatic] function cache($k) { static $cache = []; $cache['x'][$k] .= 'z'; $cache[$k] += 1; return $cache; }
    }
    function touched() {}
    // The copy takes long enough for an alarm. No call or jump follows the copy, so the safe point is at the return.
    function slow() { static $big = null; $big ??= range(0, 500000); touched(); $copy = $big; $copy[] = 1; return true; }
    class D { function __destruct() { slow(); } }
    class S { function __toString() { slow(); return 's'; } }
    CODE);
$codes = [
    "%s['x']['y']['n'] += 1;",
    "%s['x']['y']['n'] += 1; %s['x']['y']['m']['k'] .= 'z'; %s['x']['y']['m'][\$undefined] = 2; %s['x']['y']['i']++; %s['l'][1][2] .= %s['x']['y']['i']--;",
    "%s['d'] = new D; %s['d'] = 1; %s['o'] = ['d' => new D]; unset(%s['o']); %s['a'] = 1;",
    "%s['x']['s'] = 's'; %s['x']['s'] .= new S; %s['x']['o'][(string) new S] ??= 5; %s['x']['o'][(string) new S]++;",
    "foreach ((function () { for (\$i = 0; \$i < 3; \$i++) { %s['g'][\$i] .= new S; %s['u'] .= \$i; yield; } })() as \$_) %s['f'][] = 1;",
    "(function (\$a, \$b) { for (\$i = 0; \$i < 3; \$i++) { %s['v'][\$a]['c'] .= \$b; } })(...[1, 'b']);",
];
foreach (['slow', 'max'] as $handler) { // max() is internal, and accepts an error handler's four arguments
    foreach (['a', 'p'] as $n) {
        foreach ($codes as $i => $code) {
            [$done, $expected] = json_decode(request("require '$file'; set_error_handler('$handler'); Foo::\$plain = json_decode(json_encode(Foo::\$$n), true);"
                . str_replace('%s', "Foo::\$$n", $code) . str_replace('%s', 'Foo::$plain', $code)
                . "touched(); return json_encode([Foo::\$$n, Foo::\$plain]);"), true);
            $kept = request("require '$file'; return Foo::\$$n;");
            if ($done !== $expected || $kept !== $expected) {
                echo "$handler $n $i: ", json_encode($done), ', then ', json_encode($kept), ', not ', json_encode($expected), "\n";
            }
        }
    }
    $done = request("require '$file'; set_error_handler('$handler'); return (new Foo)->cache('$handler');");
    $kept = request("require '$file'; set_error_handler(fn () => true); return (new Foo)->cache('$handler');");
    echo $handler, ' ', json_encode($done[$handler]), ' ', json_encode($kept[$handler]), ' ', $kept['x'][$handler], "\n";
}
?>
--EXPECT--
slow 1 2 zz
max 1 2 zz
