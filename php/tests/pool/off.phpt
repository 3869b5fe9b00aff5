--TEST--
larder: pool: without a store a pool is empty and takes nothing
--EXTENSIONS--
larder
--INI--
larder.enable=0
--FILE--
<?php
$p = Larder\VolatileCache::pool('p');
var_dump($p->name(), $p->get('k', 'default'), $p->set('k', 1), $p->add('k', 1), $p->setMultiple(['k' => 1]), $p->getMultiple(['k']));
var_dump($p->has('k'), $p->delete('k'), $p->deleteMultiple(['k']), $p->clear(), $p->touch('k', 1), $p->increment('k'), $p->lock('k'), $p->unlock('k'));
var_dump($p->remember('k', fn() => 'computed'), $p->info()->entry_count, $p->info()->stores);
try { $p->set('k', fn() => 1); } catch (TypeError $e) { echo $e->getMessage(), "\n"; }
--EXPECT--
string(1) "p"
string(7) "default"
bool(false)
bool(false)
bool(false)
array(1) {
  ["k"]=>
  NULL
}
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
bool(false)
string(8) "computed"
int(0)
int(0)
Larder\Pool::set(): Argument #2 ($value) must not contain an instance of Closure, found at $value
