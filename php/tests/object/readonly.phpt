--TEST--
larder: object: readonly properties are readonly: no write, no unset, no reference; clone and uninitialised ones work
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Config {
    public readonly int $late;
    public function __construct(public readonly array $values, public readonly ?Config $parent = null) {}
    function initialise() { $this->late = 5; return $this; }
    function with($values) { return new static($values, $this); }
}
readonly class All { public function __construct(public string $name, protected Config $config) {} function config() { return $this->config; } }
VolatileCache::set('k', new All('all', (new Config(['a' => [1, 2]]))->with(['b' => 2])));
$all = VolatileCache::get('k');
$config = $all->config();
$tries = [
    fn() => $all->name = 'x', fn() => $config->values['a'] = 1, fn() => $config->values[] = 1, function () use ($config) { unset($config->values); },
    function () use ($config) { $r = &$config->values; }, function () use ($config) { foreach ($config as $k => &$v) $v = 1; }, fn() => $config->late, fn() => $config->late = 1,
    function () use ($all) { $all->dynamic = 1; }, fn() => (new ReflectionProperty($config, 'values'))->setValue($config, []),
];
/* PHP 8.4 words two of these messages differently. */
$say = fn (Error $e) => print(str_replace(['indirectly ', 'modify protected(set) readonly'], ['', 'initialize readonly'], $e->getMessage()) . "\n");
foreach ($tries as $try) try { $try(); echo "no error\n"; } catch (Error $e) { $say($e); }
var_dump($config->initialise()->late);
foreach ([fn() => $config->initialise()] as $try) try { $try(); } catch (Error $e) { echo $e->getMessage(), "\n"; }
$copy = clone $config;
var_dump($copy == $config, $copy->parent === $config->parent, $config->parent->values, isset($config->parent->late));
--EXPECT--
Cannot modify readonly property All::$name
Cannot modify readonly property Config::$values
Cannot modify readonly property Config::$values
Cannot unset readonly property Config::$values
Cannot modify readonly property Config::$values
Cannot acquire reference to readonly property Config::$values
Typed property Config::$late must not be accessed before initialization
Cannot initialize readonly property Config::$late from global scope
Cannot create dynamic property All::$dynamic
Cannot modify readonly property Config::$values
int(5)
Cannot modify readonly property Config::$late
bool(true)
bool(true)
array(1) {
  ["a"]=>
  array(2) {
    [0]=>
    int(1)
    [1]=>
    int(2)
  }
}
bool(false)
