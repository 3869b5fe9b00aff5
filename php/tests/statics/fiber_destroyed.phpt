--TEST--
larder: statics: a fiber is destroyed while a hook of a static has suspended it: it ends, and the program goes on
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
$file = source('waits', <<<'CODE'
    class Row {
        public $n = 1;
        function __serialize(): array { if (Fiber::getCurrent()) Fiber::suspend(); return ['n' => $this->n]; }
        function __unserialize(array $data): void { $this->n = $data['n']; }
    }
    class Thrower { function __serialize(): array { throw new LogicException('not me'); } }
    class Foo {
        #[PinnedStatic] public static $thrown = null;
        #[PinnedStatic] public static $row = null;
        #[PinnedStatic] public static int $n = 0;
        #[VolatileStatic] public static $volatile = null;
    }
    function touched() { for ($i = 0; $i < 3; $i++); }
    CODE);
foreach (['row', 'volatile'] as $name) {
    foreach (['', 'Foo::$thrown = new Thrower;'] as $before) {
        echo request(<<<CODE
            require '$file';
            \$fiber = new Fiber(function () {
                try { $before Foo::\$$name = new Row; touched(); echo "not reached\n"; } finally { echo 'finally, '; }
            });
            \$fiber->start();
            Foo::\$n++;
            touched();
            unset(\$fiber);
            touched();
            Foo::\$n++;
            touched();
            return "goes on\n";
            CODE);
        echo request("require '$file'; \$n = Foo::\$n; Foo::\$n = 0; return [\$n, Foo::\${$name}?->n];") === [2, 1] ? "stored\n" : "not stored\n";
        request("require '$file'; Foo::\$row = Foo::\$volatile = Foo::\$thrown = null; Foo::\$n = 0;");
    }
}
?>
--EXPECT--
finally, goes on
stored
finally, goes on
stored
finally, goes on
stored
finally, goes on
stored
