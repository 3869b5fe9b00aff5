--TEST--
larder: statics: changes are published at safe points also where restoring a value called a hook
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('hook', <<<'CODE'
    class Foo {
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static ?DateTime $date = null;
        #[PinnedStatic] public static int $pinned = 0;
    }
    function returned() {}
    CODE);
request("require '$file'; Foo::\$date = new DateTime('2020-01-01'); return 0;");
for ($i = 1; $i <= 2; $i++) {
    if (!($child = pcntl_fork())) {
        require $file;
        Foo::$pinned = $i;
        returned();
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($child, $status);
    echo implode(' ', request("require '$file'; return [Foo::\$pinned, Foo::\$date->format('Y')];")), "\n";
}
?>
--EXPECT--
1 2020
2 2020
