--TEST--
larder: statics: workers killed at random while statics change: no torn value, and pinned writes that returned are there
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('killed', <<<'CODE'
    class Point { public function __construct(public int $n, public array $more) {} }
    class Foo {
        #[VolatileStatic] public static array $v = [0, 0, 0];
        #[PinnedStatic] public static array $p = [0, 0, 0];
        #[PinnedStatic] public static ?array $objects = null;
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static array $t = [0, 0, 0];
    }
    function returned() {}
    function whole(array $x) { return $x[0] === $x[1] && ($x[2] === $x[0] || $x[2] === str_repeat((string) $x[0], 100)); }
    CODE);
$kills = (int) (getenv('LARDER_KILLS') ?: 60);
mt_srand(5);
$wrong = $lost = $changes = 0;
for ($i = 0; $i < $kills; $i++) {
    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (!($child = pcntl_fork())) {
        stream_set_blocking($there, true);
        require $file;
        if (!whole(Foo::$v) || !whole(Foo::$p) || !whole(Foo::$t)) { fwrite($there, "torn\n"); }
        for ($n = Foo::$p[0] + 1; ; $n++) {
            Foo::$v = [$n, $n, str_repeat((string) $n, 100)];
            Foo::$t = [$n, $n, $n];
            Foo::$objects = [new Point($n, [$n]), new Point($n, ["$n"])];
            Foo::$p = [$n, $n, str_repeat((string) $n, 100)];
            for ($safe = 0; $safe < 2; $safe++) { returned(); } // a loop, because in code of the function JIT only loops are safe points
            fwrite($there, "$n\n");
        }
    }
    fclose($there);
    $said = fgets($here); // the child has begun; let it make some more rounds
    $more = mt_rand(0, 300);
    while ($more-- > 0) { $said = fgets($here); }
    posix_kill($child, SIGKILL);
    pcntl_waitpid($child, $status);
    while (($line = fgets($here)) !== false) { $said = str_ends_with($line, "\n") ? $line : $said; }
    if (trim($said) === 'torn' || !pcntl_wifsignaled($status)) { $wrong++; continue; }
    [$good, $p, $o] = request("require '$file'; return [whole(Foo::\$v) && whole(Foo::\$p) && whole(Foo::\$t) && Foo::\$objects[0]->n === Foo::\$objects[0]->more[0] && Foo::\$objects[1]->more === [(string) Foo::\$objects[1]->n] && Foo::\$objects[0]->n === Foo::\$objects[1]->n, Foo::\$p[0], Foo::\$objects[0]->n];");
    $wrong += !$good;
    $lost += $p < (int) $said || $p > (int) $said + 1 || $o < (int) $said;
    $changes = (int) $said;
}
echo "$wrong wrong, $lost lost, ", $changes > $kills ? 'many changes' : $changes, "\n";
?>
--EXPECT--
0 wrong, 0 lost, many changes
