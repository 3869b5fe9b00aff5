--TEST--
larder: statics: changes inside objects are published where they are tracked, and nothing is written where nothing has changed
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('objects', <<<'CODE'
    class Point { public $x = 1; public ?Point $next = null; function __construct(public readonly string $name = 'p') {} }
    class Hooked { public $x = 1; function __serialize(): array { return [$this->x]; } function __unserialize(array $data): void { [$this->x] = $data; } }
    class T {
        #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static $t;
        #[VolatileStatic(0, CacheStrategy::Tracking)] public static array $a = [1];
        #[VolatileStatic] public static $i;
        #[PinnedStatic] public static $p;
    }
    function version($name) { return (T::${$name} === null ? '' : '') . VolatileCache::keyInfo($name, T::class)?->version; }
    CODE);
$version = fn (string $name) => request("require '$file'; return VolatileCache::keyInfo('$name', T::class)?->version ?? PinnedCache::keyInfo('$name', T::class)->version;");
$run = fn (string $code) => request("require '$file'; $code");
$run('$make = fn () => [$p = new Point, new Hooked, ["deep" => [$p, new ArrayObject([new DateTime("2020-01-01")])]], str_repeat("long", 50)]; T::$t = $make(); T::$i = $make(); T::$p = $make(); T::$a = ["x" => ["y" => 1]];');
foreach (['t' => 'tracked', 'i' => 'immediate', 'p' => 'pinned'] as $name => $kind) {
    $before = $version($name);
    $run("serialize(T::\$$name); foreach (T::\$$name as \$v) \$copy[] = \$v; var_export(T::\${$name}[0], true); return T::\${$name}[0]->next;");
    echo "$kind, read: ", $before === $version($name) ? 'not written' : 'written', "\n";
    $run("\$o = T::\${$name}[0]; \$o->next = new Point; settype(\$o->next, 'null'); \$o->x = 5; foreach ([1] as \$o->x); return \$o;");
    echo "$kind, null again: ", $before === $version($name) ? 'not written' : 'written', "\n"; // the new null may differ from the old null in unused bytes of the zval; this is no change
    $run("\$o = T::\${$name}[0]; \$o->x = 2;");
    echo "$kind, an object: ", $before === $version($name) ? 'not written' : 'written', ' ', json_encode($run("return [T::\${$name}[0]->x, T::\${$name}[2]['deep'][0]->x];")), "\n";
    $before = $version($name);
    $run("\$all = T::\${$name}; \$all[1]->x = [3]; \$all[2]['deep'][1][] = new Point('added');");
    echo "$kind, with hooks and of PHP: ", $before === $version($name) ? 'not written' : 'written', ' ', json_encode($run("return [T::\${$name}[1]->x, count(T::\${$name}[2]['deep'][1])];")), "\n";
    $run("T::\${$name} = [T::\${$name}, 'new root'];");
    echo "$kind, a new root: ", json_encode($run("return T::\${$name}[1];")), "\n";
}
$before = $version('a');
$run('T::$a["x"]["y"] = 2; T::$a["x"]["y"] = 1; $r = &T::$a["x"]; $r["y"] = 5; $r["y"] = 1; return T::$a;');
echo 'an array that is what it was: ', $run('return T::$a["x"]["y"];'), "\n";
?>
--EXPECT--
tracked, read: not written
tracked, null again: not written
tracked, an object: written [2,2]
tracked, with hooks and of PHP: written [[3],2]
tracked, a new root: "new root"
immediate, read: not written
immediate, null again: not written
immediate, an object: not written [1,1]
immediate, with hooks and of PHP: not written [1,1]
immediate, a new root: "new root"
pinned, read: not written
pinned, null again: not written
pinned, an object: not written [1,1]
pinned, with hooks and of PHP: not written [1,1]
pinned, a new root: "new root"
an array that is what it was: 1
