--TEST--
larder: statics: FPM's workers share them, its pools do not; autoloading, forks in a request, fibers
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip('www-data');
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
$fpm = fpm(['one' => ['pm.max_children' => 3], 'two' => []]);
file_put_contents("{$fpm->folder}/www/Foo.php", <<<'CODE'
    <?php
    class Foo { #[Larder\VolatileStatic] public static array $v = []; #[Larder\PinnedStatic] public static ?Item $item = null; #[Larder\PinnedStatic] public static int $n = 0; }
    CODE);
file_put_contents("{$fpm->folder}/www/Item.php", '<?php class Item { public $tags = []; public ?Item $next = null; }');
$load = 'spl_autoload_register(function ($class) { if (is_file($file = __DIR__ . "/$class.php")) require $file; });';
echo $fpm->run('one', "$load Foo::\$v = ['from' => 'one']; Foo::\$item = new Item; Foo::\$item->next = new Item; Foo::\$item = clone Foo::\$item; echo 'set';"), "\n";
$seen = [];
for ($i = 0; $i < 60; $i++) {
    $answer = json_decode($fpm->run('one', "$load \$i = Foo::\$item; echo json_encode([getmypid(), Foo::\$v, get_class(\$i->next), \$i->tags]); \$i->tags[] = 'of this request'; usleep(mt_rand(0, 2000));"));
    $seen[$answer[0]] = true;
    if (array_slice($answer, 1) != [(object) ['from' => 'one'], 'Item', []]) echo json_encode($answer), "\n";
}
echo count($seen) > 1 ? 'several workers' : 'one worker', ' of ', count($fpm->workers('one')), "\n";
echo 'the other pool: ', $fpm->run('two', "$load echo json_encode([Foo::\$v, Foo::\$item, Foo::\$n]); Foo::\$n = 100;"), "\n";
for ($i = 0; $i < 20; $i++) { // one request at a time, so no other worker writes meanwhile
    $fpm->run('one', "$load Foo::\$n++; (new Fiber(function () { Foo::\$n++; Fiber::suspend(); Foo::\$n++; }))->start();");
}
echo $fpm->run('one', "$load echo Foo::\$n;"), ' ', $fpm->run('two', "$load echo Foo::\$n;"), "\n";
?>
--EXPECT--
set
several workers of 3
the other pool: [[],null,0]
40 100
