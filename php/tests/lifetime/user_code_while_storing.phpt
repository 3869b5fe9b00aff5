--TEST--
larder: lifetime: user code that runs while a value is measured may change the value, use the cache, throw or leave
--EXTENSIONS--
larder
--SKIPIF--
<?php if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP'); ?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    class Hook {
        public static $act;
        function __construct(public $name = 'hook') { }
        function __serialize(): array { return [(self::$act)($this), str_repeat("state of {$this->name} ", 20)]; }
        function __unserialize(array $data): void { $this->name = $data[1]; }
    }
    class Sleeper { public $x = 'sleeps'; public $y; function __sleep() { (Hook::$act)($this); return ['x']; } function __wakeup() { $this->y = 'woken'; } }
    final class Thrown extends Exception {}

    $big = fn($i) => ['rows' => array_map(fn($k) => ['id' => $k, 'text' => str_repeat("$i ", 40)], range(1, 30)), 'more' => str_repeat(chr(97 + $i % 26), 500)];
    $acts = [
        'nothing' => fn() => 1,
        'changes what follows' => function () use (&$value) { $value['after'] = ['changed' => str_repeat('c', 300)]; $value['added'] = range(1, 100); return 2; },
        'changes what came before' => function () use (&$value) { $value['before'] = null; unset($value['list']); $value['again'] = [str_repeat('d', 300)]; return 3; },
        'changes a shared array' => function () use (&$shared) { $shared = []; for ($i = 0; $i < 50; $i++) $shared[] = "new $i"; gc_collect_cycles(); return 4; },
        'stores the same key' => function () use ($big) { VolatileCache::set('k', $big(1)); return VolatileCache::get('k') === $big(1) ? 'fine' : 'WRONG'; },
        'stores others' => function () use ($big) { for ($i = 0; $i < 30; $i++) { VolatileCache::set("other$i", $big($i)); if (VolatileCache::get("other$i") !== $big($i)) return 'WRONG'; } return 5; },
        'stores another with a hook' => function () use ($big) { static $depth = 0; if (++$depth <= 2) { $other = ['h' => new Hook("depth $depth"), 'v' => $big($depth), 's' => new Sleeper]; VolatileCache::set("deep$depth", $other); $got = VolatileCache::get("deep$depth"); if ($got['v'] !== $big($depth) || $got['s']->y !== 'woken') echo 'WRONG '; } $depth--; return 6; },
        'deletes and clears' => function () { VolatileCache::delete('k'); VolatileCache::clear(); return 7; },
        'gets and locks' => function () { VolatileCache::get('k'); VolatileCache::lock('k'); VolatileCache::getMultiple(['k', 'other1']); VolatileCache::unlock('k'); return 8; },
        'loads a class' => function () { spl_autoload_register(function ($class) { VolatileCache::set('class', [$class]); eval("class $class { public \$p = 1; }"); }); return new Loaded; },
        'throws' => fn() => throw new Thrown('from the hook'),
        'takes memory' => function () { ini_set('memory_limit', '6M'); return str_repeat('m', 50 << 20); },
        'leaves' => fn() => exit('left'),
    ];
    $name = array_keys($acts)[$n % count($acts)];
    $act = Hook::$act = $acts[$name];
    $shared = ['a' => str_repeat('shared', 50)];
    $value = ['before' => $big(7), 'list' => &$shared, 'hook' => new Hook, 'sleeper' => new Sleeper, 'again' => $shared, 'after' => $big(8), 'end' => str_repeat('end', 200)];
    VolatileCache::set('k', 'old');
    try {
        $stored = isset($_GET['many']) ? VolatileCache::setMultiple(['first' => $big(3), 'k' => $value, 'last' => [new Hook('last')]]) : VolatileCache::set('k', $value);
        $got = VolatileCache::get('k');
        echo $stored && $got['end'] === str_repeat('end', 200) && $got['hook']->name === str_repeat('state of hook ', 20) && $got['sleeper']->y === 'woken' ? 'stored' : 'WRONG';
        /* The hook has changed some parts. Each of them must have its old or its new content, but no mixture. */
        foreach (['before' => [$big(7), null], 'after' => [$big(8), $value['after']], 'again' => [['a' => str_repeat('shared', 50)], $value['again']]] as $key => $allowed) if (!in_array($got[$key], $allowed, true)) echo " WRONG $key";
        if (isset($got['list']) && count($got['list']) !== 1 && count($got['list']) !== 50) echo ' WRONG list';
        if ((string) json_encode($got) === '') echo ' WRONG text';
    } catch (Thrown $e) {
        echo VolatileCache::get('k') === 'old' ? 'kept' : 'WRONG';
    }
    CODE, 0, 'larder.volatile_size=2M');

$seen = [];
$acts = 13;
for ($round = 0; $round < 3; $round++) {
    for ($n = 0; $n < $acts; $n++) {
        foreach (['', '&many'] as $how) {
            $answer = $ask("$n$how");
            $seen[$n][is_string($answer) ? trim(preg_replace('/Fatal error: Allowed memory size.*/s', 'out of memory', $answer)) : 'DIED'] = true;
        }
        if ($ask(0) !== 'stored') $seen[$n]['the next failed'] = true;
    }
}
foreach ($seen as $n => $answers) echo "$n: ", implode(', ', array_keys($answers)), "\n";
--EXPECT--
0: stored
1: stored
2: stored
3: stored
4: stored
5: stored
6: stored
7: stored
8: stored
9: stored
10: kept
11: out of memory
12: left
