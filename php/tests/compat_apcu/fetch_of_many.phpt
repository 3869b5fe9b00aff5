--TEST--
larder: compat_apcu: apcu_fetch() of many keys of all kinds, in order, with hooks that use the store
--EXTENSIONS--
larder
--INI--
larder.enable_cli=1
larder.compat=apcu
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

foreach ([100, 1500] as $count) {
    $all = [];
    for ($i = 0; $i < $count; $i++) {
        $all["k$i"] = value($i);
    }
    apcu_store($all);
    $keys = array_keys($all);
    for ($i = 0; $i < 50; $i++) {
        array_splice($keys, ($i * 37) % count($keys), 0, "absent$i");
    }
    $wanted = [];
    foreach ($keys as $key) {
        if (array_key_exists($key, $all)) {
            $wanted[$key] = $all[$key];
        }
    }
    $got = apcu_fetch($keys);
    var_dump($got == $wanted && array_keys($got) === array_keys($wanted));
    // the fetched values must not change when the entries' memory is used again
    apcu_clear_cache();
    for ($i = 0; $i < $count; $i++) {
        apcu_store("other$i", str_repeat('x', 400));
    }
    var_dump($got == $wanted);
}
var_dump(apcu_fetch([]), apcu_fetch(['', str_repeat('x', 70000), 'none']));
?>
--EXPECT--
bool(true)
bool(true)
bool(true)
bool(true)
array(0) {
}
array(0) {
}
