--TEST--
larder: resident: a deployment changes, removes or brings back the class
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    clearstatcache(); if (function_exists('opcache_invalidate')) opcache_invalidate(__DIR__ . '/class.php', true);
    if ($n >= 100) { file_put_contents(__DIR__ . '/class.php', "<?php\n" . base64_decode(file_get_contents(__DIR__ . '/next'))); if (function_exists('opcache_invalidate')) opcache_invalidate(__DIR__ . '/class.php', true); echo 'deployed'; return; }
    spl_autoload_register(function ($class) { if ($class === 'Item') { VolatileCache::get('k'); include __DIR__ . '/class.php'; } });
    try {
        if ($n === 1) { VolatileCache::set('k', [new Item('one'), 'two' => new Item([new Item('three')])]); PinnedCache::set('same', 'other'); }
        $a = VolatileCache::get('k', 'a miss'); $b = VolatileCache::get('k', 'a miss');
        echo is_array($a) ? json_encode($a['two']) . (method_exists($a[0], 'hello') ? ' ' . $a[0]->hello() : '') . ($a[0] === $b[0] ? ' same' : ' anew') : $a;
        if ($n === 2 && is_array($a)) { $items = []; for ($i = 0; $i < 200; $i++) $items[] = clone $a['two']; echo count($items); }
    } catch (Error $e) { echo get_class($e), ': ', $e->getMessage(); }
    CODE, 0);
$folder = glob(sys_get_temp_dir() . '/larder-server-' . getmypid() . '-*')[0];
$deploy = function (string $what, string $class) use ($ask, $folder) {
    file_put_contents("$folder/next", base64_encode($class));
    if (($answer = $ask(100)) !== 'deployed') echo $answer;
    echo str_pad("$what:", 30), $ask($what === 'first' ? 1 : 0), ' | ', $ask(0), ' | ', $ask(2), "\n";
};
$deploy('first', 'final readonly class Item { public function __construct(public mixed $v) {} }');
$deploy('a method', 'final readonly class Item { public function __construct(public mixed $v) {} function hello() { return "hello"; } }');
$deploy('another method and constant', 'final readonly class Item { const C = 1; public function __construct(public mixed $v) {} function more() {} function hello() { return "hello " . self::C . gettype($this->v); } }');
$deploy('a destructor', 'final readonly class Item { public function __construct(public mixed $v) {} function __destruct() {} }');
$deploy('first again', 'final readonly class Item { public function __construct(public mixed $v) {} }');
$deploy('another property', 'final readonly class Item { public function __construct(public mixed $v, public int $more = 1) {} }');
$deploy('not readonly', 'final class Item { public function __construct(public mixed $v) {} }');
$deploy('gone', '');
$deploy('an error', 'throw new Error("no class today");');
$deploy('first once more', 'final readonly class Item { public function __construct(public mixed $v) {} }');
@unlink("$folder/class.php"); @unlink("$folder/next");
?>
--EXPECT--
first:                        {"v":[{"v":"three"}]} same | {"v":[{"v":"three"}]} same | {"v":[{"v":"three"}]} same200
a method:                     {"v":[{"v":"three"}]} hello same | {"v":[{"v":"three"}]} hello same | {"v":[{"v":"three"}]} hello same200
another method and constant:  {"v":[{"v":"three"}]} hello 1string same | {"v":[{"v":"three"}]} hello 1string same | {"v":[{"v":"three"}]} hello 1string same200
a destructor:                 {"v":[{"v":"three"}]} anew | {"v":[{"v":"three"}]} anew | {"v":[{"v":"three"}]} anew200
first again:                  {"v":[{"v":"three"}]} same | {"v":[{"v":"three"}]} same | {"v":[{"v":"three"}]} same200
another property:             a miss | a miss | a miss
not readonly:                 a miss | a miss | a miss
gone:                         a miss | a miss | a miss
an error:                     Error: no class today | Error: no class today | Error: no class today
first once more:              {"v":[{"v":"three"}]} same | {"v":[{"v":"three"}]} same | {"v":[{"v":"three"}]} same200
