--TEST--
larder: statics: foreach by reference and array_walk() visit each element once, also where the loop changes the array
--EXTENSIONS--
larder
--INI--
larder.statics=1
larder.statics_interval=0
--FILE--
<?php
use Larder\{PinnedCache, PinnedStatic, VolatileStatic};

class A
{
    #[PinnedStatic] public static array $pinned = [];
    #[VolatileStatic] public static array $volatile = [];
    #[PinnedStatic] public static int $count = 0;
}

/* Waits 3 ms. Safe points compare the targets of references at most once in 1 ms. So the first safe point after the wait compares them. */
function rest(): void
{
    if (++A::$count > 100) {
        exit("for ever\n");
    }
    for ($until = hrtime(true) + 3000000; hrtime(true) < $until;);
}

function kept(string $name): string
{
    return json_encode(A::$$name);
}

#[PinnedStatic] function pinned(int $how)
{
    static $x = ['a' => 1, 'b' => 2, 'c' => 3];
    if ($how === 0) {
        foreach ($x as $k => &$v) {
            $v++;
            if (strlen($k) === 1) {
                $x["n$k"] = 0;
            }
            rest();
        }
    } elseif ($how === 1) {
        array_walk($x, function (&$v, $k) use (&$x) { $v++; $x['z'] = 9; rest(); });
    }
    unset($v);
    rest();
    rest();
    return json_encode($x) . ' ' . (PinnedCache::keyInfo('pinned()::$x', '')->size > 400 ? 'published' : 'not published');
}

echo pinned(0), "\n", pinned(1), "\n";
foreach (['pinned', 'volatile'] as $name) {
    A::$$name = ['a' => 1, 'b' => 2, 'c' => 3];
    array_walk(A::$$name, function (&$v, $k) use ($name) { $v++; A::$$name['z'] = 9; rest(); });
    echo kept($name), "\n";
    array_walk(A::$$name, function ($v, $k) use ($name) { A::$$name[$k]++; rest(); });
    echo kept($name), "\n";
    foreach (A::$$name as $k => &$v) {
        $v++;
        unset(A::$$name['z']);
        if (strlen($k) === 1) {
            A::$$name["n$k"] = 0;
        }
        rest();
    }
    unset($v);
    echo kept($name), "\n";
    rest();
    rest();
    $type = $name === 'pinned' ? Larder\PinnedCache::class : Larder\VolatileCache::class;
    $size = $type::keyInfo($name, A::class)->size;
    A::$$name = [];
    rest();
    var_dump($size > $type::keyInfo($name, A::class)->size);
}
?>
--EXPECT--
{"a":2,"b":3,"c":4,"na":1,"nb":1,"nc":1} published
{"a":3,"b":4,"c":5,"na":2,"nb":2,"nc":2,"z":9} published
{"a":2,"b":3,"c":4,"z":9}
{"a":3,"b":4,"c":5,"z":10}
{"a":4,"b":5,"c":6,"na":1,"nb":1,"nc":1}
bool(true)
{"a":2,"b":3,"c":4,"z":9}
{"a":3,"b":4,"c":5,"z":10}
{"a":4,"b":5,"c":6,"na":1,"nb":1,"nc":1}
bool(true)
