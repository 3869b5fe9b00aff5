--TEST--
larder: object: a lazy object is stored as PHP's serializer would, which initialises it; the fetched object is not lazy
--EXTENSIONS--
larder
--SKIPIF--
<?php if (PHP_VERSION_ID < 80400) die('skip needs PHP 8.4'); ?>
--FILE--
<?php
use Larder\VolatileCache as V;

class Item { public string $name = 'default'; public array $list = []; public function __construct(string $name) { $this->name = $name; $this->list = [$name]; } }
$class = new ReflectionClass(Item::class);
$make = [
    'ghost' => fn (int $options = 0) => $class->newLazyGhost(function (Item $item) { echo 'initialised '; $item->__construct('ghost'); }, $options),
    'proxy' => fn (int $options = 0) => $class->newLazyProxy(function () { echo 'initialised '; return new Item('proxy'); }, $options),
];
foreach ($make as $name => $new) {
    $lazy = $new();
    V::set($name, ['first' => $lazy, 'again' => $lazy, 'other' => new Item('other')]);
    echo $class->isUninitializedLazyObject($lazy) ? 'lazy' : 'not lazy', ' ';
    for ($i = 0; $i < 2; $i++) {
        $got = V::get($name);
        echo $got['first']->name, ' ', $got['first'] === $got['again'] ? 'same' : 'two', ' ', $class->isUninitializedLazyObject($got['first']) ? 'lazy' : 'not lazy', ', ';
    }
    echo V::getCacheStoreType($name)->name, "\n";
    V::set($name, $lazy); // the set() and gets above have initialised it
    echo V::get($name)->name, ' ', $class->isUninitializedLazyObject(V::get($name)) ? 'lazy' : 'not lazy', "\n";
    $lazy = $new(ReflectionClass::SKIP_INITIALIZATION_ON_SERIALIZE);
    V::set($name, $lazy);
    echo $class->isUninitializedLazyObject($lazy) ? 'lazy' : 'not lazy', ' ', json_encode(V::get($name)) === json_encode(unserialize(serialize($lazy))) ? 'as unserialize()' : 'different', "\n";
}
try {
    V::set('throws', $class->newLazyGhost(fn () => throw new Exception('no database')));
} catch (Exception $e) {
    echo $e->getMessage(), ' ', var_export(V::has('throws'), true), "\n";
}
--EXPECT--
initialised not lazy ghost same not lazy, ghost same not lazy, PHPSerialized
ghost not lazy
lazy as unserialize()
initialised not lazy proxy same not lazy, proxy same not lazy, PHPSerialized
proxy not lazy
lazy as unserialize()
no database false
