--TEST--
larder: object: chains of 10,000 objects, of objects with hooks, and of references
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Link { public $next; public array $in = []; }
class Hooked { public $next; function __serialize(): array { return [$this->next]; } function __unserialize(array $d): void { [$this->next] = $d; } }
class Sleeper { public $next; function __sleep() { return ['next']; } function __wakeup() { } }
foreach (['Link', 'Hooked', 'Sleeper', 'stdClass'] as $class) {
    for ($i = 0, $n = null; $i < 10000; $i++) { $m = new $class; $m->next = $n; $n = $m; }
    var_dump(VolatileCache::set('k', $n));
    $n = $m = null;
    for ($i = 0, $got = VolatileCache::get('k'); $got; $got = $got->next) $i++;
    var_dump($i);
    $got = VolatileCache::get('k');
    $got = null;
}
for ($i = 0, $n = null; $i < 10000; $i++) { $m = new Link; $m->in = ['a' => [$n]]; $m->next = &$m->in['a'][0]; $n = $m; unset($m); }
VolatileCache::set('k', $n);
for ($i = 0, $got = VolatileCache::get('k'); $got; $got = $got->next) $i++;
var_dump($i);
$wide = new Link;
for ($i = 0; $i < 100000; $i++) $wide->in[] = new Link;
VolatileCache::set('k', $wide);
var_dump(count(VolatileCache::get('k')->in), VolatileCache::get('k')->in[99999] == new Link);
--EXPECT--
bool(true)
int(10000)
bool(true)
int(10000)
bool(true)
int(10000)
bool(true)
int(10000)
int(10000)
int(100000)
bool(true)
