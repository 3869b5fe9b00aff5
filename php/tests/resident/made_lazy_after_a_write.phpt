--TEST--
larder: resident: making an object lazy does not hide what was written to it from the next request
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (PHP_VERSION_ID < 80400) die('skip needs PHP 8.4');
if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix');
?>
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    error_reporting(E_ALL & ~E_DEPRECATED);
    final readonly class Item { public function __construct(public string $name, public array $list = []) {} }
    if ($n === 0) VolatileCache::set('k', new Item('as stored', [new Item('inside')]));
    $item = VolatileCache::get('k');
    echo VolatileCache::getCacheStoreType('k')->name, ' ', $item->name, ' ', $item->list[0]->name, "\n";
    if ($n === 0) return;
    array_walk($item, function (&$v, $k) { if ($k === 'name') $v = str_repeat('overwritten', 10); });
    $class = new ReflectionClass($item);
    if ($n === 1) $class->resetAsLazyGhost($item, fn() => null);
    if ($n === 2) $class->resetAsLazyProxy($item, fn() => new Item('another'), ReflectionClass::SKIP_DESTRUCTOR);
    echo strlen($item->name), ' ', $class->isUninitializedLazyObject($item) ? 'lazy' : 'not lazy', "\n";
    CODE, 0);
foreach ([0, 1, 2, 0] as $n) echo $ask($n);
?>
--EXPECT--
Resident as stored inside
Resident as stored inside
110 not lazy
Resident as stored inside
110 not lazy
Resident as stored inside
