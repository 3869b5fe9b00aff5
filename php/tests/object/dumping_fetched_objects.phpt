--TEST--
larder: object: fetched objects are dumped and exported, whatever lay in their memory before
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Magic { public $a = 1; public function __get($n) { return "got $n"; } }
class Debug { public $a = 1; public function __debugInfo() { return ['a' => 'debug']; } }
class Box extends ArrayObject { public $b = 2; public function __get($n) { return "got $n"; } }
$values = [new Magic, new Debug, new Box([1]), new SplQueue, new SplFixedArray(1), new ArrayObject([1])];
$values[3][] = 1;
VolatileCache::set('k', $values);
$show = function (array $values) { ob_start(); foreach ($values as $value) { var_dump($value); print_r($value); var_export($value); echo json_encode($value), $value->none ?? '', "\n"; } return preg_replace('/#\d+/', '#', ob_get_clean()); };
$wanted = $show($values);
$dirt = [];
for ($size = 1; $size < 400; $size += 8) for ($i = 0; $i < 20; $i++) $dirt[] = str_repeat("\xff", $size);
unset($dirt);
$got = VolatileCache::get('k');
$shown = $show($got);
var_dump($shown === $wanted, $show($got) === $wanted);
--EXPECT--
bool(true)
bool(true)
