--TEST--
larder: statics: foreach by reference and array_walk() visit each element once, also where the loop changes the array
--EXTENSIONS--
larder
--INI--
larder.statics_interval=0
--FILE--
<?php
use Larder\{PinnedStatic, VolatileStatic};

class A
{
    #[PinnedStatic] public static array $pinned = [];
    #[VolatileStatic] public static array $volatile = [];
    #[PinnedStatic] public static int $count = 0;
}

/* A safe point, after time enough for a look at what is a reference. */
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
{"a":2,"b":3,"c":4,"z":9}
{"a":3,"b":4,"c":5,"z":10}
{"a":4,"b":5,"c":6,"na":1,"nb":1,"nc":1}
bool(true)
{"a":2,"b":3,"c":4,"z":9}
{"a":3,"b":4,"c":5,"z":10}
{"a":4,"b":5,"c":6,"na":1,"nb":1,"nc":1}
bool(true)
