--TEST--
larder: pool: an entry that can be read, of whatever kind, does not give way to a lease
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

$pool = VolatileCache::pool('leased');
$token = $pool->begin(60);
class Hooked { public function __serialize(): array { return []; } public function __unserialize(array $data): void { throw new Exception('a hook says no'); } }
foreach (['int' => 5, 'null' => null, 'string' => str_repeat('x', 1000), 'array' => [1, [2]], 'object' => new ArrayObject([1]), 'date' => new DateTimeImmutable('2020-01-01')] as $key => $value) {
    $pool->set($key, $value);
    $pool->lease($key) === null && $pool->get($key) == $value || exit("$key\n");
}
$pool->set('hooked', new Hooked);
try { $pool->lease('hooked'); } catch (Exception $e) { echo $e->getMessage(), "\n"; }
var_dump($pool->has('hooked'));
--EXPECT--
a hook says no
bool(true)
