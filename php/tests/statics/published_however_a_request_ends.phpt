--TEST--
larder: statics: whatever ends a request, what had changed is published
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
larder.statics_interval=3600000
memory_limit=64M
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('ends', <<<'CODE'
    class Foo {
        #[VolatileStatic] public static int $v = 0;
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static array $t = [0];
        #[PinnedStatic] public static $p = 0;
        #[VolatileStatic] static function method($m = null) { static $x = 0; return $x = $m ?? $x; }
    }
    function touched() {}
    CODE);
$set = fn (int $n) => "Foo::\$v = -1; touched(); Foo::\$v = $n; Foo::\$t = [$n]; Foo::\$p = $n; \$r = &Foo::\$p; Foo::method($n);";
$n = 0;
foreach ([
    'return' => 'return;',
    'exit' => 'exit;',
    'exit in a function' => '(function () { exit(3); })();',
    'fatal error' => 'ini_set("display_errors", 0); trigger_error("the end", E_USER_ERROR);',
    'no memory' => 'ini_set("display_errors", 0); if (getenv("USE_ZEND_ALLOC") === "0") trigger_error("there is no limit", E_USER_ERROR); $x = []; while (true) $x[] = str_repeat("x", 1000000);',
    'timeout' => 'ini_set("display_errors", 0); set_time_limit(1); while (true) { $GLOBALS["i"] = ($GLOBALS["i"] ?? 0) + 1; }',
    'undefined function' => 'ini_set("display_errors", 0); register_shutdown_function(fn () => undefined_one()); exit;',
    'shutdown function' => "register_shutdown_function(function () { Foo::\$v++; Foo::\$t[] = 1; Foo::\$p++; });",
    'destructor' => '$GLOBALS["late"] = new class { function __destruct() { Foo::$v++; Foo::$t[] = 1; Foo::$p++; } }; exit;',
    'output callback' => 'ob_start(function ($x) { Foo::$v++; Foo::$t[] = 1; Foo::$p++; return ""; }); exit;',
    'in a fiber' => '(new Fiber(function () { exit; }))->start();',
    'in a generator' => 'foreach ((function () { yield 1; exit; })() as $_);',
] as $how => $code) {
    $n += 10;
    request("require '$file'; {$set($n)} $code");
    [$v, $t, $p, $m] = request("require '$file'; return [Foo::\$v, Foo::\$t, Foo::\$p, Foo::method()];");
    $more = str_contains($code, 'Foo::$v++') ? 1 : 0;
    echo $how, ': ', [$v, $t, $p, $m] === [$n + $more, $more ? [$n, 1] : [$n], $n + $more, $n] ? 'fine' : json_encode([$n, $v, $t, $p, $m]), "\n";
}
?>
--EXPECT--
return: fine
exit: fine
exit in a function: fine
fatal error: fine
no memory: fine
timeout: fine
undefined function: fine
shutdown function: fine
destructor: fine
output callback: fine
in a fiber: fine
in a generator: fine
