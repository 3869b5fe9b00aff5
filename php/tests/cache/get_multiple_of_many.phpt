--TEST--
larder: cache: getMultiple of many keys of all kinds, in order, with hooks that use the store
--EXTENSIONS--
larder
--INI--
larder.enable_cli=1
--FILE--
<?php
use Larder\VolatileCache;

final class Nosy
{
    public function __construct(public int $number) {}
    public function __serialize(): array { return [$this->number]; }
    public function __unserialize(array $data): void
    {
        $this->number = $data[0];
        VolatileCache::set('seen', $this->number); // ends the borrows of earlier fetches
        VolatileCache::get('k1');
    }
}

function value(int $i): mixed
{
    return match ($i % 7) {
        0 => $i, 1 => "short $i", 2 => str_repeat("long $i ", 50), 3 => [$i, 'a' => ["deep $i"]],
        4 => new Nosy($i), 5 => $i / 8, 6 => null,
    };
}

$pool = VolatileCache::pool('many');
foreach ([100, 1500] as $count) {
    $all = [];
    for ($i = 0; $i < $count; $i++) {
        $all["k$i"] = value($i);
    }
    VolatileCache::setMultiple($all);
    $pool->setMultiple($all);
    $keys = array_keys($all);
    for ($i = 0; $i < 50; $i++) {
        array_splice($keys, ($i * 37) % count($keys), 0, "absent$i");
    }
    $wanted = [];
    foreach ($keys as $key) {
        $wanted[$key] = $all[$key] ?? null;
    }
    foreach ([VolatileCache::getMultiple(...), $pool->getMultiple(...)] as $fetch) {
        $got = $fetch($keys);
        var_dump($got == $wanted && array_keys($got) === array_keys($wanted));
    }
    // the fetched values must not change when the entries' memory is used again
    $got = VolatileCache::getMultiple($keys);
    VolatileCache::clear();
    for ($i = 0; $i < $count; $i++) {
        VolatileCache::set("other$i", str_repeat('x', 400));
    }
    var_dump($got == $wanted);
}
VolatileCache::setMultiple(['a' => 1, 'b' => 2]);
var_dump(VolatileCache::getMultiple([...array_fill(0, 20, 'a'), 'b', 'c'], ['c' => 3]));
try {
    VolatileCache::getMultiple([...range(1, 20), 'a', '', 'b']);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}
var_dump(VolatileCache::getMultiple([]));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
array(3) {
  ["a"]=>
  int(1)
  ["b"]=>
  int(2)
  ["c"]=>
  int(3)
}
Larder\VolatileCache::getMultiple(): Argument #1 ($keys) must not contain an empty key
array(0) {
}
