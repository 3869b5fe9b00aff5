--TEST--
larder: compat user_cache: store, add, fetch, has, delete
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--SKIPIF--
<?php
if (class_exists('UserCache\Cache') && (new ReflectionClass('UserCache\Cache'))->getExtensionName() !== 'larder') die('skip PHP has the classes itself');
?>
--FILE--
<?php
$c = UserCache\Cache::getPool('entries');
class Point { public function __construct(public int $x, public ?Point $next = null) {} }
foreach ([null, false, true, 0, PHP_INT_MIN, 1.5, '', str_repeat('s', 1000), [], ['x' => [1, 2]], new Point(1, new Point(2))] as $i => $value)
    if ($c->store("k$i", $value) !== true || $c->fetch("k$i", 'MISS') != $value || !$c->has("k$i")) echo "wrong: $i\n";
var_dump($c->fetch('none'), $c->fetch('none', 'default'), $c->fetch('k0', 'default'));
var_dump($c->add('k1', 'other'), $c->fetch('k1'), $c->add('new', 'value'), $c->fetch('new'));
$copy = $c->fetch('k9');
$copy['x'][] = 3;
var_dump($c->fetch('k9') === ['x' => [1, 2]]);
var_dump($c->delete('new'), $c->has('new'), $c->delete('new'), $c->deleteMultiple(['k1', 'none']), $c->has('k1'));
$c->store('short', 'x', 10000);
$c->store('shorter', 'x', 0.05);
usleep(150000);
var_dump($c->has('short'), $c->fetch('shorter', 'expired'));
$c->lock('k2');
var_dump($c->store('k2', 'written'), $c->delete('k2'), $c->clear(), $c->unlock('k2'));
--EXPECT--
NULL
string(7) "default"
NULL
bool(false)
bool(false)
bool(true)
string(5) "value"
bool(true)
bool(true)
bool(false)
bool(true)
bool(true)
bool(false)
bool(true)
string(7) "expired"
bool(true)
bool(true)
bool(true)
bool(true)
