--TEST--
larder: statics: a packed value is tracked as a ready one, and waits for its classes as a ready one
--EXTENSIONS--
larder
--INI--
larder.statics=1
larder.form=packed
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('packed', <<<'CODE'
    class T {
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static $tracked;
        #[VolatileStatic] public static $plain;
        #[VolatileStatic] public static array $bound = [];
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static array $rows = [];
    }
    class Point { public $x = 1; }
    CODE);
$run = fn (string $code) => request("require '$file'; $code");
$run('$rows = array_map(fn ($i) => ["id" => $i, "name" => "name $i"], range(1, 20));
    T::$tracked = [new Point, $rows]; T::$plain = [new Point, $rows]; T::$rows = $rows;
    $bound = ["x" => 1, "rows" => $rows]; $bound["y"] = &$bound["x"]; T::$bound = $bound;');
$inside = ['tracked' => '[0]->x', 'plain' => '[0]->x', 'bound' => '["x"]', 'rows' => '[3]["id"]'];
foreach ($inside as $name => $place) {
    $info = fn () => $run("return VolatileCache::keyInfo('$name', T::class);");
    $before = $info();
    $run("return serialize(T::\$$name);");
    $read = $info();
    $run($name === 'rows' ? 'T::$rows[3]["id"] = 7;' : ($name === 'bound' ? '$copy = T::$bound; $copy["y"] = 7;' : "\$point = T::\${$name}[0]; \$point->x = 7;"));
    echo "$name $before->form: ", $before->version === $read->version ? 'a read writes nothing' : 'a read writes', ', a change ', $read->version === $info()->version ? 'is not written' : 'is written',
        ', then ', json_encode($run("return T::\${$name}$place;")), "\n";
}
?>
--EXPECT--
tracked packed: a read writes nothing, a change is written, then 7
plain packed: a read writes nothing, a change is not written, then 1
bound packed: a read writes nothing, a change is written, then 7
rows packed: a read writes nothing, a change is written, then 7
