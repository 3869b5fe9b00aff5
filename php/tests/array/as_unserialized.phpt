--TEST--
larder: array: pointer and next free key equal those of unserialize(), in every API
--EXTENSIONS--
larder
--INI--
larder.compat=apcu,immutable_cache,opcache,user_cache
--SKIPIF--
<?php
if (extension_loaded('apcu') && (new ReflectionFunction('apcu_store'))->getExtensionName() !== 'larder') die('skip apcu itself is loaded');
if (extension_loaded('immutable_cache')) die('skip immutable_cache itself is loaded');
foreach (['OPcache\VolatileCache', 'UserCache\Cache'] as $class) if (class_exists($class) && (new ReflectionClass($class))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
require __DIR__ . '/../include/bounds.php';
use Larder\{VolatileCache, PinnedCache};

class Holder { public function __construct(public array $list, private array $more = []) {} public function more(): array { return $this->more; } }
final readonly class Constant { public function __construct(public array $list) {} }
class Told { public array $list; public function __serialize(): array { return $this->list; } public function __unserialize(array $data): void { $this->list = $data; } }

/* Returns what a program sees of an array besides the elements: the pointer's position, and the next key of []. */
function state(array $array, int $depth = 0): string
{
    $seen = var_export(key($array), true) . '@';
    foreach ($array as $key => $value)
        $seen .= var_export($key, true) . (is_array($value) ? '{' . state($value, $depth + 1) . '}' : (is_object($value) ? '{' . state(parts($value), $depth + 1) . '}' : ''));
    $negative = $array;
    try { $array[] = 'next'; $seen .= '+' . array_key_last($array); } catch (Error $e) { $seen .= '+none'; }
    /* Add the key that [] uses after a negative key: 0, or the next negative key. */
    foreach ([-9, 'next'] as $key) if (is_int($key)) $negative[$key] = 1; else try { $negative[] = 1; $seen .= '-' . array_key_last($negative); } catch (Error) { $seen .= '-none'; }
    return $seen;
}

function parts(object $object): array
{
    return match (true) { $object instanceof Holder => [$object->list, $object->more()], $object instanceof ArrayObject => [$object->getArrayCopy()], default => [$object->list] };
}

function random_array(int $depth): array
{
    $array = [[], range(1, mt_rand(1, 12)), array_fill(mt_rand(-5, 5), mt_rand(1, 6), 'f'), ['x' => 1, 'y' => 2], ['x' => 1, 7 => 2, -4 => 3], [-3 => 1], [PHP_INT_MAX - 1 => 1], [PHP_INT_MAX => 1, 'a' => 2], [PHP_INT_MIN => 1], ['k' => [], 'l' => [[]]]][mt_rand(0, 9)];
    for ($steps = mt_rand(0, 8); $steps > 0; $steps--) {
        $keys = array_keys($array);
        try {
            switch (mt_rand(0, 12)) {
                case 0: array_pop($array); break;
                case 1: array_shift($array); break;
                case 2: if ($keys) unset($array[end($keys)]); break;
                case 3: if ($keys) unset($array[$keys[mt_rand(0, count($keys) - 1)]]); break;
                case 4: $array[] = 'appended'; break;
                case 5: $array[mt_rand(-20, 40)] = 'put'; break;
                case 6: $array['s' . mt_rand(0, 9)] = str_repeat('v', 30); break;
                case 7: if ($depth < 3) $array[mt_rand(0, 1) ? 'deep' : mt_rand(0, 9)] = random_array($depth + 1); break;
                case 8: $array = array_filter($array, fn() => mt_rand(0, 2) > 0); break;
                case 9: if ($keys) { unset($array[$keys[0]]); } break;
                case 10: for ($i = 0; $i < 20; $i++) $array[] = $i; for ($i = 0; $i < 15; $i++) array_pop($array); break;
                case 11: foreach (array_slice($keys, mt_rand(0, 3)) as $key) unset($array[$key]); break;
                case 12: $array[mt_rand(0, 30)] = match (mt_rand(0, 3)) { 0 => new Holder(moved(random_array(2)), random_array(2)), 1 => new Constant(random_array(2)), 2 => new ArrayObject(random_array(2)), 3 => tap(new Told, fn($o) => $o->list = ['told' => 1] + random_array(2)) }; break;
            }
        } catch (Error) { /* there is no next key */ }
    }
    return moved($array);
}

function tap(object $object, callable $do): object { $do($object); return $object; }

/* Moves the array's internal pointer to a random element, or behind the last one. */
function moved(array $array): array
{
    switch (mt_rand(0, 4)) {
        case 0: end($array); break;
        case 1: for ($i = mt_rand(1, 4); $i > 0; $i--) next($array); break;
        case 2: end($array); next($array); break;
        case 3: end($array); prev($array); break;
    }
    return $array;
}

$pool = VolatileCache::pool('pool');
$theirs = UserCache\Cache::getPool('theirs');
$ways = [
    'volatile' => function ($v) { VolatileCache::set('k', $v); return VolatileCache::get('k'); },
    'pinned' => function ($v) { PinnedCache::set('k', $v); return PinnedCache::get('k'); },
    'add' => function ($v) { VolatileCache::delete('k'); VolatileCache::add('k', $v); return VolatileCache::get('k'); },
    'multiple' => function ($v) { VolatileCache::setMultiple(['a' => 1, 'b' => $v]); return VolatileCache::getMultiple(['a', 'b'])['b']; },
    'remember' => function ($v) { VolatileCache::delete('r'); VolatileCache::remember('r', fn() => $v); return VolatileCache::remember('r', fn() => die('computed again')); },
    'pool' => function ($v) use ($pool) { $pool->set('k', $v); return $pool->get('k'); },
    'pool, multiple' => function ($v) use ($pool) { $pool->setMultiple(['a' => $v]); return $pool->getMultiple(['a'])['a']; },
    'nested' => function ($v) { VolatileCache::set('k', ['x' => [$v]]); return VolatileCache::get('k')['x'][0]; },
    'in an object' => function ($v) { VolatileCache::set('k', new Holder([], $v)); return VolatileCache::get('k')->more(); },
    'added to an object' => function ($v) { $o = new stdClass; $o->added = $v; VolatileCache::set('k', $o); return VolatileCache::get('k')->added; },
    'resident' => function ($v) { VolatileCache::set('k', new Constant($v)); VolatileCache::get('k'); return VolatileCache::get('k')->list; },
    'referred to' => function ($v) { $a = ['r' => &$v, 's' => &$v]; VolatileCache::set('k', $a); return VolatileCache::get('k')['s']; },
    'apcu' => function ($v) { apcu_store('k', $v); return apcu_fetch('k'); },
    'apcu, several' => function ($v) { apcu_store(['a' => $v]); return apcu_fetch(['a'])['a']; },
    'opcache' => function ($v) { OPcache\VolatileCache::set('k', $v); return OPcache\VolatileCache::get('k'); },
    'user_cache' => function ($v) use ($theirs) { $theirs->store('k', $v); return $theirs->fetch('k'); },
];
$wrong = 0;
$check = function (string $way, callable $store, array $array) use (&$wrong) {
    $expected = state(unserialize(serialize($array)));
    $got = state($store($array));
    if ($got !== $expected && $wrong++ < 10) echo "$way: $got\ninstead of $expected\n";
};
mt_srand(12);
for ($round = 0; $round < 400; $round++) {
    $array = random_array(0);
    foreach ($ways as $way => $store) $check($way, $store, $array);
    $check('immutable_cache', function ($v) use ($round) { immutable_cache_add("k$round", $v); return immutable_cache_fetch("k$round"); }, $array);
    $check('immutable_cache, again', function ($v) use ($round) { immutable_cache_add("again$round", immutable_cache_fetch("k$round")); return immutable_cache_fetch("again$round"); }, $array);
}
/* Use up the holds of the request, so that each fetch returns a copy. The copy must have the same state. */
$held = hold_all_that_a_request_may();
VolatileCache::set('large', range(1, 1000));
$before = VolatileCache::info()->copies;
$held[] = VolatileCache::get('large');
echo VolatileCache::info()->copies > $before ? "copied\n" : "shared\n";
for ($round = 0; $round < 50; $round++) $check('copied', $ways['volatile'], random_array(0));
echo "$wrong differ\n";
--EXPECT--
copied
0 differ
