--TEST--
larder: cache: an entry whose hooks throw is there for has() and add(), and get() passes the exception on
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\{PinnedCache, VolatileCache};

class Throws
{
    public function __serialize(): array { return [1]; }
    public function __unserialize(array $data): void { throw new Exception('a hook says no'); }
}
$pool = VolatileCache::pool('p');
$stores = [
    'volatile' => [VolatileCache::set(...), VolatileCache::get(...), VolatileCache::has(...), VolatileCache::add(...)],
    'pinned' => [PinnedCache::set(...), PinnedCache::get(...), PinnedCache::has(...), PinnedCache::add(...)],
    'pool' => [$pool->set(...), $pool->get(...), $pool->has(...), $pool->add(...)],
];
foreach ($stores as $name => [$set, $get, $has, $add]) {
    echo "$name:";
    foreach (['alone' => new Throws, 'inside' => [1, [new Throws]]] as $key => $value) {
        echo ' ', json_encode([$set($key, $value), $has($key), $add($key, 'new')]), ' ';
        try {
            $get($key, 'a miss');
            echo 'no exception';
        } catch (Exception $e) {
            echo $e->getMessage();
        }
    }
    echo "\n";
}
--EXPECT--
volatile: [true,true,false] a hook says no [true,true,false] a hook says no
pinned: [true,true,false] a hook says no [true,true,false] a hook says no
pool: [true,true,false] a hook says no [true,true,false] a hook says no
