--TEST--
larder: statics: a safe point in the middle of a write, in error handlers, destructors, and traces of the JIT
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
$file = source('writes', <<<'CODE'
    class Foo {
        #[VolatileStatic] public static array $a = ['x' => ['y' => []]];
        #[PinnedStatic] public static array $p = ['x' => ['y' => []]];
        #[PinnedStatic] function cache($k, $v = null) { static $cache = []; if ($v !== null) $cache['x'][$k] = $v; return $cache['x'][$k] ?? 'none'; }
    }
    class D { function __destruct() { touched(); } }
    function touched() {}
    CODE);
$run = fn (string $code, bool $kill = false) => request("require '$file'; set_error_handler(function () { touched(); return true; }); $code touched(); return json_encode([Foo::\$a, Foo::\$p]);", $kill);
foreach (['a', 'p'] as $n) {
    $s = "Foo::\$$n";
    foreach ([
        "{$s}['x']['y']['n'] += 1; {$s}['x']['y']['m']['k'] .= 'z'; {$s}['x']['y']['m'][\$undefined] = 2; {$s}['x']['y'][NAN] = 5;",
        "{$s}['x']['d'] = 'o'; {$s}['x']['o'] = new D; {$s}['x']['o'] = 1; {$s}['x']['o2'] = 2;",
        "for (\$i = 0; \$i < 100; \$i++) { {$s}['x']['l'][\$i % 3]['n'] ??= \$i; {$s}['x']['l'][\$i % 3]['n']++; if (\$i % 7 === 0) unset({$s}['x']['l'][1]['n']); }",
    ] as $code) {
        $done = $run($code);
        echo $done === $run('') ? 'fine' : "$done is not " . $run(''), "\n";
    }
}
$wrong = 0;
for ($i = 0; $i < 20; $i++) { // repeat: with the JIT, later processes run machine code that earlier processes have compiled
    request("require '$file'; (new Foo)->cache(1, 'v$i'); (new Foo)->cache(1); Foo::\$p['x']['t'][$i % 5]['k'] = $i; touched();", true);
    $wrong += request("require '$file'; return [(new Foo)->cache(1), Foo::\$p['x']['t'][$i % 5]['k']];") !== ["v$i", $i];
}
echo "$wrong wrong\n";
?>
--EXPECT--
fine
fine
fine
fine
fine
fine
0 wrong
