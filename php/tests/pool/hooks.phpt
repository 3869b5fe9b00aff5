--TEST--
larder: pool: code that runs while a value is stored or fetched may use the pool
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Hooked
{
    public $x = 0;
    public function __serialize(): array
    {
        $p = VolatileCache::pool('p');
        $GLOBALS['p']->set('inner with a longer key', 'inner');
        $p->clear();
        $GLOBALS['p']->get('inner with a longer key');
        return ['x' => $this->x];
    }
    public function __unserialize(array $data): void
    {
        $this->x = $data['x'];
        $GLOBALS['p']->set('other', 'from unserialize');
        $GLOBALS['p']->get('nothing');
    }
}
$p = VolatileCache::pool('p');
$object = new Hooked;
$object->x = 42;
var_dump($p->set('outer', $object));
echo "cleared meanwhile: "; var_dump($p->has('outer'));
$p->set('before', 1);
var_dump($p->setMultiple(['one' => 1, 'two' => $object, 'three' => 3]));
var_dump($p->get('one'), $p->get('two')->x, $p->get('three'), $p->get('other'), $p->get('before'));
$all = $p->getMultiple(['one', 'two', 'three']);
var_dump($all['one'], $all['two']->x, $all['three']);
--EXPECT--
bool(true)
cleared meanwhile: bool(false)
bool(true)
int(1)
int(42)
int(3)
string(16) "from unserialize"
NULL
int(1)
int(42)
int(3)
