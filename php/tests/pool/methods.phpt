--TEST--
larder: pool: the methods do what those of VolatileCache do
--EXTENSIONS--
larder
--FILE--
<?php
$p = Larder\VolatileCache::pool('p');
var_dump($p->add('a', 1), $p->add('a', 2), $p->get('a'));
var_dump($p->setMultiple(['m' => 'x', 7 => [1]]), $p->getMultiple(['m', 7, 'no', 'none'], ['no' => 'default']));
var_dump($p->deleteMultiple(['m', 7]), $p->deleteMultiple(['m', 'a']), $p->has('a'));
var_dump($p->increment('n'), $p->increment('n', 4), $p->decrement('n', 2), $p->get('n'), $p->decrement('fresh'));
$p->set('text', 'x');
var_dump($p->increment('text'));
$p->set('max', PHP_INT_MAX);
var_dump($p->increment('max'), $p->get('max') === PHP_INT_MAX);
var_dump($p->touch('text', 0.05), $p->touch('none', 1));
$p->set('short', [1, 2, 3], 0.05);
$p->increment('shortcount', 1, 0.05);
usleep(150000);
var_dump($p->has('text'), $p->get('short'), $p->get('shortcount'));
var_dump($p->lock('l'), $p->lock('l'), Larder\VolatileCache::pool('q')->lock('l'), Larder\VolatileCache::lock('l'));
var_dump($p->unlock('l'), $p->unlock('l'));
var_dump($p->lock('l', 0.05), usleep(150000), $p->unlock('l'));
$object = new ArrayObject([1, 2]);
var_dump($p->set('o', $object), $p->get('o') == $object, $p->get('o') !== $object);
--EXPECT--
bool(true)
bool(false)
int(1)
bool(true)
array(4) {
  ["m"]=>
  string(1) "x"
  [7]=>
  array(1) {
    [0]=>
    int(1)
  }
  ["no"]=>
  string(7) "default"
  ["none"]=>
  NULL
}
bool(true)
bool(false)
bool(false)
int(1)
int(5)
int(3)
int(3)
int(-1)
bool(false)
bool(false)
bool(true)
bool(true)
bool(false)
bool(false)
NULL
NULL
bool(true)
bool(false)
bool(true)
bool(true)
bool(true)
bool(false)
bool(true)
NULL
bool(false)
bool(true)
bool(true)
bool(true)
