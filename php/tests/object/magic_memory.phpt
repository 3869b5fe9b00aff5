--TEST--
larder: object: objects with magic methods do not depend on earlier contents of their memory
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Magic
{
    public $a = 1;
    public function __get($name) { return "magic $name"; }
}
VolatileCache::set('alone', array_map(fn() => new Magic, range(1, 20)));
VolatileCache::set('beside', [new ArrayObject, new Magic, new Magic]);
foreach (['alone', 'beside'] as $key) {
    $junk = array_map(fn(int $size) => str_repeat("\xff", $size % 80), range(1, 4000));
    unset($junk);
    foreach (VolatileCache::get($key) as $object) {
        if (!$object instanceof Magic) continue;
        ob_start();
        var_dump($object);
        var_export($object);
        echo json_encode($object), $object->none;
        $seen[preg_replace('/#\d+/', '#', ob_get_clean())] = true;
    }
}
echo implode("\n", array_keys($seen)), "\n";
?>
--EXPECT--
object(Magic)# (1) {
  ["a"]=>
  int(1)
}
\Magic::__set_state(array(
   'a' => 1,
)){"a":1}magic none
