--TEST--
larder: statics: deep in calls, changes take no longer for each call, none is lost, and none is published in the middle of a write
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
$file = source('calls', <<<'CODE'
    set_time_limit(60);
    class Foo { #[PinnedStatic] public static $p = 0; #[VolatileStatic] public static $v = 0; #[PinnedStatic] public static array $a = []; }
    function touched() { for ($i = 0; $i < 3; $i++); }
    function wait() { for ($i = 0; $i < 500; $i++) usleep(1000); }
    function recurse(int $n): int { Foo::$p = $n; Foo::$v = -$n; return $n > 0 ? recurse($n - 1) + 1 : 0; }
    function at_depth(int $n, callable $do) { if ($n === 0) $do(); else at_depth($n - 1, $do); return true; }
    CODE);

/* If each change checked all calls on the stack, this recursion would take minutes. */
echo request("require '$file'; \$n = recurse(250000); Foo::\$p = 'after'; wait(); return \$n;", true), "\n";
echo request("require '$file'; return json_encode([Foo::\$p, Foo::\$v]);"), "\n";

/* If the program stays at this depth, its changes are published after a while. */
echo request("require '$file'; at_depth(10000, function () {
    foreach (['first', 'second', 'third'] as Foo::\$p) touched();
    wait();
    posix_kill(getmypid(), SIGKILL);
});", true);
echo request("require '$file'; return Foo::\$p;"), "\n";
/* Calls of the cache see each change at once. */
echo request("require '$file'; at_depth(10000, function () {
    foreach (['one', 'two', [1, 2, 3]] as Foo::\$p) { touched(); echo PinnedCache::getCacheStoreType('p', Foo::class)->name, ' '; }
});");
echo request("require '$file'; return json_encode(Foo::\$p);"), "\n";

/* An error handler interrupts a write to Foo::$a, and makes $depth nested calls. So the begun write lies far below on the stack. */
foreach ([100, 1000, 20000] as $depth) {
    echo request("require '$file'; set_error_handler(fn () => at_depth($depth, function () {
        foreach ([1, 2, 3, 4] as Foo::\$p) for (\$i = 0; \$i < 20; \$i++) usleep(200);
    }));
    Foo::\$a['x'] = ['n' => $depth]; touched();
    Foo::\$a['x'][\$undefined] = 2;
    Foo::\$a['x']['missing'] .= 'z';
    wait(); return json_encode(Foo::\$a);", true), ' ';
    echo request("require '$file'; return json_encode([Foo::\$p, Foo::\$a]);"), "\n";
}
?>
--EXPECT--
250000
["after",0]
third
Scalar Scalar SharedGraph [1,2,3]
{"x":{"n":100,"":2,"missing":"z"}} [4,{"x":{"n":100,"":2,"missing":"z"}}]
{"x":{"n":1000,"":2,"missing":"z"}} [4,{"x":{"n":1000,"":2,"missing":"z"}}]
{"x":{"n":20000,"":2,"missing":"z"}} [4,{"x":{"n":20000,"":2,"missing":"z"}}]
