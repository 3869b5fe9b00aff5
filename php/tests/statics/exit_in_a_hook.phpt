--TEST--
larder: statics: an exit() in a hook, or the end of a suspended fiber, takes effect while a static gets its value
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$row = source('row', <<<'CODE'
    class Row {
        public $n = 1;
        function __serialize(): array { hook(); return ['n' => $this->n]; }
        function __unserialize(array $data): void { hook(); $this->n = $data['n']; }
    }
    CODE);
$foo = source('foo', <<<'CODE'
    class Foo {
        #[PinnedStatic] public static $row = null;
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static $tracked = null;
    }
    CODE);
$constant = source('constant', 'class Constant { #[PinnedStatic] public static $n = Missing::N; }');

$hook = null; // a function that the next hook or autoloader calls, and then forgets
function hook(): void
{
    $call = $GLOBALS['hook'];
    $GLOBALS['hook'] = null;
    if ($call !== null) $call();
}
function stop(): void { echo 'exit, '; exit; }
function suspend(): void { echo 'suspend, '; Fiber::suspend(); }
function in_fiber(string $file): void
{
    $fiber = new Fiber(function () use ($file) { try { require $file; echo 'not reached, '; } finally { echo 'finally, '; } });
    $fiber->start();
    unset($fiber); // destroys the suspended fiber
    eval('class Another {}');
}
function show(string $code): void
{
    request("register_shutdown_function(function () { echo 'shutdown'; }); $code");
    echo "\n";
}

request("require '$row'; require '$foo'; Foo::\$row = new Row; Foo::\$tracked = new Row;");
echo "an object is restored\n";
show("require '$row'; \$GLOBALS['hook'] = stop(...); require '$foo'; echo 'not reached, ';");
show("require '$row'; \$GLOBALS['hook'] = suspend(...); in_fiber('$foo'); echo Foo::\$row->n, Foo::\$tracked->n, ', ';");
echo "its class is loaded\n";
show("spl_autoload_register(hook(...)); \$GLOBALS['hook'] = stop(...); require '$foo'; echo 'not reached, ';");
show("spl_autoload_register(hook(...)); \$GLOBALS['hook'] = suspend(...); in_fiber('$foo'); require '$row'; echo Foo::\$row->n, Foo::\$tracked->n, ', ';");
echo "a default is computed\n";
show("spl_autoload_register(hook(...)); \$GLOBALS['hook'] = stop(...); require '$constant'; echo 'not reached, ';");
show("spl_autoload_register(hook(...)); \$GLOBALS['hook'] = suspend(...); in_fiber('$constant'); eval('class Missing { const N = 3; }'); echo ++Constant::\$n, ', ';");
echo "beginRequest() compares\n";
show("require '$row'; require '$foo'; request(\"Foo::\\\$tracked = new Row;\"); \$GLOBALS['hook'] = stop(...); Larder\\beginRequest(); echo 'not reached, ';");
?>
--EXPECT--
an object is restored
exit, shutdown
suspend, finally, 11, shutdown
its class is loaded
exit, shutdown
suspend, finally, 11, shutdown
a default is computed
exit, shutdown
suspend, finally, 4, shutdown
beginRequest() compares
shutdownexit, shutdown
