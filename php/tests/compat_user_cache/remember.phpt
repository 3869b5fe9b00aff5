--TEST--
larder: compat user_cache: remember() gives the callback the key and keeps what it returns
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
$c = UserCache\Cache::getPool('remember');
$calls = 0;
$compute = static function (string $key) use (&$calls): string { $calls++; return "computed: $key"; };
var_dump($c->remember('k', $compute), $c->remember('k', $compute), $c->fetch('k'), $calls);
try { $c->remember('boom', fn() => throw new RuntimeException('from callback')); } catch (RuntimeException $e) { echo $e->getMessage(), "\n"; }
var_dump($c->has('boom'), $c->lock('boom'), $c->unlock('boom'));
foreach (['resource' => fn() => STDIN, 'closure' => fn() => fn() => 1, 'nested' => fn() => ['inner' => STDIN]] as $key => $callback) {
    try { $c->remember($key, $callback); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
    var_dump($c->has($key), $c->unlock($key));
}
var_dump($c->lock('held'), $c->remember('held', fn() => 'value'), $c->fetch('held'), $c->unlock('held'));
var_dump($c->remember('own', fn() => 'value'), $c->unlock('own'));
$variable = 42;
$reference = function &(string $key) use (&$variable) { return $variable; };
$result = [$c->remember('reference', $reference)];
$variable = 99;
var_dump($result, $c->fetch('reference'));
var_dump($c->remember('null', fn() => null), $c->has('null'), $c->remember('null', fn() => 'other'));
$c->remember('short', fn() => 1, 0.05);
usleep(150000);
var_dump($c->has('short'), $c->remember('strlen', 'strlen'));
--EXPECT--
string(11) "computed: k"
string(11) "computed: k"
string(11) "computed: k"
int(1)
from callback
bool(false)
bool(true)
bool(true)
UserCache\Cache::remember(): The value that $compute returned must not contain a resource, found at $value
bool(false)
bool(false)
UserCache\Cache::remember(): The value that $compute returned must not contain an instance of Closure, found at $value
bool(false)
bool(false)
UserCache\Cache::remember(): The value that $compute returned must not contain a resource, found at $value['inner']
bool(false)
bool(false)
bool(true)
string(5) "value"
string(5) "value"
bool(true)
string(5) "value"
bool(false)
array(1) {
  [0]=>
  int(42)
}
int(42)
NULL
bool(true)
NULL
bool(false)
int(6)
