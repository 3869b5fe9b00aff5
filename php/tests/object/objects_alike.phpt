--TEST--
larder: object: objects of one class come back as serialize() would give them, whatever their __serialize() returns, and each hook is called once, in the same order
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

/* put/alike.c stores up to 16 objects of one class. Their hooks may return up to 64 elements and up to 1,024 bytes of strings, and the
 * value's block may have up to 4,096 bytes. Other code stores all other values. */
class Told
{
    public static array $ran = [];
    public static ?Closure $do = null;
    public static int $last = 0;
    public int $number;
    public mixed $kept = null;
    public function __construct(public mixed $told) { $this->number = ++self::$last; }
    public function __serialize(): array { self::$ran[] = $this->number; if (self::$do) (self::$do)($this); return $this->told; }
    public function __unserialize(array $data): void { $this->number = 0; $this->told = $data; }
}
class Other extends Told {}

function part(int $depth): mixed
{
    static $shared = ['admin', 'editor'], $text = 'a text of several owners';
    return match (mt_rand(0, $depth > 2 ? 9 : 15)) {
        0 => null, 1 => true, 2 => false, 3 => mt_rand(-5, 5), 4 => 1.5,
        5 => $text, 6 => 'text ' . mt_rand(0, 2), 7 => str_repeat('long', mt_rand(0, mt_rand(0, 60))), 8 => '', 9 => 'literal',
        10 => $shared, 11 => [], 12 => ['reader'], 13 => ['x' => part($depth + 1), 'y' => [part($depth + 1)]],
        14 => [5 => part($depth + 1), -3 => 1, 'k' => part($depth + 1)], 15 => array_fill(0, mt_rand(1, 5), part($depth + 1)),
    };
}
function told(int $shape): mixed
{
    $name = 'made ' . $shape;
    return match ($shape) {
        0, 1, 2 => ['id' => mt_rand(), 'name' => part(0), 'roles' => part(0)],
        3 => [part(0), part(0)],
        4 => [$name => part(0), 'id' => part(0)],
        5 => [mt_rand(6, 7) => part(0), 'id' => part(0), 9 => part(0)],
        6 => [],
        7 => ['constant' => 1, 'list' => [1, 2]],
        8 => ['hole' => 1, 'id' => part(0)],
        9 => array_fill(0, mt_rand(1, 30), part(1)),
    };
}
$ways = [];
for ($seed = 1; $seed <= 3000; $seed++) {
    mt_srand($seed);
    Told::$last = 0;
    $shape = mt_rand(0, 9);
    $objects = [];
    for ($i = mt_rand(1, mt_rand(1, 18)); $i > 0; $i--) {
        $object = new Told(told(mt_rand(0, 5) ? $shape : mt_rand(0, 9)));
        if (mt_rand(0, 40) === 0) $object->told[] = new Told(['inner' => 1]);
        if (mt_rand(0, 40) === 0) $object = new Other($object->told);
        if ($shape === 8) unset($object->told['hole']);
        if ($shape === 1 && mt_rand(0, 9) === 0) { $text = 'referred'; $object->told['name'] = &$text; $keep = &$object->told['name']; }
        unset($text, $keep);
        $objects[] = $object;
    }
    if (mt_rand(0, 3) === 0) { $also = $objects; if (mt_rand(0, 1)) $objects[] = $objects[0]; }
    if (mt_rand(0, 3) === 0) $objects = array_combine(array_map(fn($i) => $i % 3 ? "key $i" : $i * 7 - 9, array_keys($objects)), $objects);
    $value = count($objects) === 1 && mt_rand(0, 1) ? current($objects) : $objects;
    Told::$ran = [];
    $text = serialize($value);
    $expected = Told::$ran;
    Told::$ran = [];
    if (!VolatileCache::set("k$seed", $value)) exit("$seed: not stored\n");
    if (Told::$ran !== $expected) exit("$seed: other calls\n");
    $found = VolatileCache::get("k$seed");
    if (print_r($found, true) !== print_r(unserialize($text), true)) exit("$seed: another value\n");
    $ways[VolatileCache::getCacheStoreType("k$seed")->name] = true;
    if ($seed % 3 === 0) { VolatileCache::set("k$seed", 1); }
}
echo implode(' ', array_keys($ways)), "\n";

echo "hooks that do what they should not\n";
function show(string $what, Closure $do, int $count = 4): void
{
    Told::$do = null;
    Told::$last = 0;
    Told::$ran = [];
    $value = [];
    for ($i = 1; $i <= $count; $i++) $value[] = new Told(['id' => $i, 'list' => ["text $i"]]);
    Told::$do = function (Told $object) use ($do, &$value): void { $do($object, $value); };
    try {
        $done = VolatileCache::set('k', $value);
    } catch (Throwable $error) {
        $done = $error->getMessage();
    }
    Told::$do = null;
    $found = VolatileCache::get('k');
    echo "$what: ", var_export($done, true), ' asked ', implode(' ', Told::$ran), ', stored ', json_encode(array_map(fn($o) => array_values($o->told), $found ?? [])), "\n";
    VolatileCache::delete('k');
}
show('throws', fn($o) => $o->number === 3 && throw new Exception('thrown'));
show('empties the array', function ($o, &$value) { $value = null; });
show('changes the array', function ($o, &$value) { $value[3] = 5; array_shift($value); });
show('changes the results', function ($o, &$value) { foreach ($value as $one) $one->told['list'][0] .= '!'; });
show('stores the array', fn($o, &$value) => count(Told::$ran) < 4 && VolatileCache::set('inner', $value));
show('stores itself', fn($o) => count(Told::$ran) < 3 && VolatileCache::set('k', $o));
show('deletes the entry', fn($o) => VolatileCache::delete('k'));
show('collects', fn($o, &$value) => $value = gc_collect_cycles());
show('makes a cycle', function ($o, &$value) { $o->kept = $o; $value = null; });
show('returns an object later', function ($o) { if ($o->number === 3) $o->told['list'] = new Told(['id' => 'inner', 'list' => []]); });
show('returns a reference later', function ($o) { if ($o->number === 3) { $text = 'x'; $o->told['list'] = [&$text, &$text]; } });
show('makes an alias', function ($o) { if (!class_exists('Alias')) class_alias('Told', 'Alias'); });
show('returns no array', fn($o) => $o->number === 2 && $o->told = 'text');
gc_collect_cycles();

echo "the packed form, queues\n";
$value = [new Told(['id' => 1, 'list' => str_repeat('text ', 50)]), new Told(['id' => 2, 'list' => str_repeat('text ', 50)])];
foreach ($value as $one) $one->number = 0; // __unserialize() also sets number to 0
foreach (['ready', 'packed'] as $form) {
    VolatileCache::set('k', $value, form: $form);
    var_dump(VolatileCache::get('k') == $value);
}
$queue = Larder\Queue::open('alike');
$queue->push($value);
var_dump($queue->pop()->body == $value);
var_dump(Larder\Inspector::own('volatile')->fsck());
--EXPECT--
SharedGraph
hooks that do what they should not
throws: 'thrown' asked 1 2 3, stored []
empties the array: true asked 1 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["text 3"]],[4,["text 4"]]]
changes the array: true asked 1 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["text 3"]],[4,["text 4"]]]
changes the results: true asked 1 2 3 4, stored [[1,["text 1!"]],[2,["text 2!!"]],[3,["text 3!!!"]],[4,["text 4!!!!"]]]
stores the array: true asked 1 1 1 1 2 3 4 2 3 4 2 3 4 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["text 3"]],[4,["text 4"]]]
stores itself: true asked 1 1 1 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["text 3"]],[4,["text 4"]]]
deletes the entry: true asked 1 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["text 3"]],[4,["text 4"]]]
collects: true asked 1 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["text 3"]],[4,["text 4"]]]
makes a cycle: true asked 1 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["text 3"]],[4,["text 4"]]]
returns an object later: true asked 1 2 3 5 4, stored [[1,["text 1"]],[2,["text 2"]],[3,{"number":0,"kept":null,"told":{"id":"inner","list":[]}}],[4,["text 4"]]]
returns a reference later: true asked 1 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["x","x"]],[4,["text 4"]]]
makes an alias: true asked 1 2 3 4, stored [[1,["text 1"]],[2,["text 2"]],[3,["text 3"]],[4,["text 4"]]]
returns no array: 'Told::__serialize(): Return value must be of type array, string returned' asked 1 2, stored []
the packed form, queues
bool(true)
bool(true)
bool(true)
array(0) {
}
