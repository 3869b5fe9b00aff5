--TEST--
larder: statics: what cannot be stored is an error that names the static, and the store keeps the value before
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
larder.pinned_size=1M
larder.volatile_size=1M
--FILE--
<?php
@ini_set('report_memleaks', '0');
/* Leak reports are off: if a safe point after a call throws, PHP frees the call's result only at the end of the request. */
require __DIR__ . '/../include/statics.php';
$file = source('refused', <<<'CODE'
    namespace App {
    class Foo {
        #[\Larder\VolatileStatic] public static $v = 'default';
        #[\Larder\PinnedStatic] public static $p = 'default';
        #[\Larder\VolatileStatic(strategy: \Larder\CacheStrategy::Tracking)] public static $t = 'default';
        #[\Larder\PinnedStatic] static function method() { static $m = 0; return func_num_args() ? $m = func_get_arg(0) : $m; }
    }
    function touched() {}
    class Hook { public function __construct(public $what = 'hook') {} function __serialize(): array { throw new \LogicException("the $this->what says no"); } }
    class Not { public $x; function __serialize(): array { return 'nothing'; } }
    }
    CODE);
$try = fn (string $code) => request("namespace App; require '$file'; try { $code; touched(); return 'nothing thrown'; } catch (\\Throwable \$e) { return get_class(\$e) . ': ' . \$e->getMessage(); }");
request("require '$file'; App\\Foo::\$v = App\\Foo::\$p = App\\Foo::\$t = ['good']; App\\Foo::method('good');");
foreach (['v', 'p'] as $name) {
    echo $try("Foo::\$$name = fn() => 1"), "\n";
    echo $try("Foo::\$$name = ['a' => [1, STDIN]]"), "\n";
    echo $try("Foo::\${$name}['deep']['er'] = new \\ReflectionClass('stdClass')"), "\n";
    echo $try("Foo::\$$name = new \\ArrayObject([function() {}])"), "\n";
    echo $try("Foo::\$$name = new Hook"), "\n";
    echo $try("Foo::\$$name = str_repeat('x', 2000000)"), "\n";
    echo $try("Foo::\$$name = new class { public \$x; }"), "\n";
}
echo $try("Foo::\$t = fn() => 1"), "\n";
echo $try("Foo::\$t = new Hook('tracked one')"), "\n";
echo $try('Foo::method(fn() => 1)'), "\n";
echo $try('for ($i = 0; $i < 50; $i++) { Foo::$p = [$i, str_repeat("x", 500000 - $i)]; \Larder\PinnedCache::set("k$i", str_repeat("x", 100000)); }'), "\n";
echo "the same value once more, and then a good one:\n";
var_dump(request("namespace App; require '$file'; \$n = 0; try { Foo::\$v = ['f' => fn() => 1]; touched(); } catch (\\TypeError) { \$n++; } for (\$i = 0; \$i < 5; \$i++) { try { touched(); } catch (\\TypeError) { \$n++; } } try { Foo::\$v['f'] = 1; touched(); } catch (\\Throwable \$e) { return (string) \$e; } return \$n;"));
foreach (['v', 'p', 't'] as $name) echo substr(json_encode(request("require '$file'; return App\\Foo::\$$name;")), 0, 20), "\n";
echo json_encode(request("require '$file'; return App\\Foo::method();")), "\n";
?>
--EXPECTF--
TypeError: App\Foo::$v must not contain an instance of Closure, found at App\Foo::$v
TypeError: App\Foo::$v must not contain a resource, found at App\Foo::$v['a'][1]
TypeError: App\Foo::$v must not contain an instance of ReflectionClass, found at App\Foo::$v['deep']['er']
TypeError: App\Foo::$v must not contain an instance of Closure, found at App\Foo::$v->__serialize()[1][0]
Larder\StaticCacheException: App\Foo::$v cannot be stored: the hook says no

Warning: App\Foo::$v was not stored: the value is larger than half of the store; the store keeps the value before in %s on line %d
nothing thrown
TypeError: App\Foo::$v must not contain an instance of class@anonymous, found at App\Foo::$v
TypeError: App\Foo::$p must not contain an instance of Closure, found at App\Foo::$p
TypeError: App\Foo::$p must not contain a resource, found at App\Foo::$p['a'][1]
TypeError: App\Foo::$p must not contain an instance of ReflectionClass, found at App\Foo::$p['deep']['er']
TypeError: App\Foo::$p must not contain an instance of Closure, found at App\Foo::$p->__serialize()[1][0]
Larder\StaticCacheException: App\Foo::$p cannot be stored: the hook says no
Larder\StaticCacheException: App\Foo::$p cannot be stored: the value is larger than half of the store
TypeError: App\Foo::$p must not contain an instance of class@anonymous, found at App\Foo::$p

Warning: App\Foo::$t must not contain an instance of Closure, found at App\Foo::$t; the store keeps the value before in %s on line %d
nothing thrown

Warning: App\Foo::$t was not stored: the tracked one says no; the store keeps the value before in %s on line %d
nothing thrown
TypeError: App\Foo::method()::$m must not contain an instance of Closure, found at App\Foo::method()::$m
Larder\StaticCacheException: App\Foo::$p cannot be stored: no room: the store is full and may not evict; raise its size
the same value once more, and then a good one:
int(1)
{"f":1}
[0,"xxxxxxxxxxxxxxxx
["good"]
"good"
