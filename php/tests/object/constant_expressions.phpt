--TEST--
larder: object: what an object's defaults need runs code when its class is found
--EXTENSIONS--
larder
--INI--
larder.volatile_size=16M
--SKIPIF--
<?php
if (!extension_loaded('pcntl')) die('skip needs pcntl');
?>
--FILE--
<?php
use Larder\VolatileCache;

function child(Closure $run): void { if (($pid = pcntl_fork()) === 0) { try { $run(); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(), "\n"; } exit; } pcntl_waitpid($pid, $s); if ($s) echo "status $s\n"; }
function ask(string $key): void
{
    $before = VolatileCache::info();
    try { echo json_encode(VolatileCache::get($key, 'a miss')); } catch (Throwable $e) { echo get_class($e), ': ', $e->getMessage(); }
    $after = VolatileCache::info();
    echo ', hits ', $after->hits - $before->hits, ', misses ', $after->misses - $before->misses, "\n";
}

$code = 'class Item { public int $id = 1; public $c = Other::C; }';
child(function () use ($code) {
    eval("class Other { const C = 1; } $code");
    VolatileCache::set('one', new Item);
    VolatileCache::set('two', ['a' => new Item, 'b' => new Item]);
});
child(function () use ($code) {
    eval($code);
    ask('one');
    ask('two');
    eval('class Other { const C = 2; }');
    ask('one');
    ask('two');
});
foreach (['one', 'two'] as $key) {
    echo "a loader that makes many classes known and replaces the entry: ";
    child(function () use ($code, $key) {
        spl_autoload_register(function ($class) use ($key) {
            VolatileCache::set($key, 'replaced');
            for ($i = 0; $i < 300; $i++) {
                $made = eval("class C$i { public \$v = $i; } return new C$i;");
                VolatileCache::set("c$i", $made);
                $sum = ($sum ?? 0) + VolatileCache::get("c$i")->v;
            }
            echo "$class $sum ";
            eval('class Other { const C = 3; }');
        });
        eval($code);
        $value = VolatileCache::get($key);
        $item = $value instanceof Item ? $value : $value['b'];
        echo get_class($item), ' ', json_encode($value), ' ', VolatileCache::get('c299')->v, ' ', VolatileCache::get($key), "\n";
        VolatileCache::set('one', new Item);
    });
}
echo "a loader that ends the request: ";
child(function () use ($code) {
    spl_autoload_register(function ($class) { exit("$class "); });
    register_shutdown_function(function () { echo "the end\n"; });
    eval($code);
    VolatileCache::get('one');
    echo "NOT HERE\n";
});
?>
--EXPECT--
Error: Class "Other" not found, hits 0, misses 1
Error: Class "Other" not found, hits 0, misses 1
{"id":1,"c":1}, hits 1, misses 0
{"a":{"id":1,"c":1},"b":{"id":1,"c":1}}, hits 1, misses 0
a loader that makes many classes known and replaces the entry: Other 44850 Item {"id":1,"c":1} 299 replaced
a loader that makes many classes known and replaces the entry: Other 44850 Item {"a":{"id":1,"c":1},"b":{"id":1,"c":1}} 299 replaced
a loader that ends the request: Other the end
