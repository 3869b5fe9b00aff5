--TEST--
larder: object: many objects with __unserialize() alone: properties not initialised, listed in another order, changed, more than a table takes
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

trait Takes { public ?array $got = null; public function __unserialize(array $data): void { $this->got = $data; $data['new'] = 1; unset($data['id']); } }
final class Few { use Takes; public int $id; private ?array $data = null; protected string $table = 'id'; public function __construct(int $id) { $this->id = $id; $this->data = ['id' => $id, 'table' => "table $id", 'Few' => 'few']; } public function listed(): static { foreach ($this as $name => $value); unset($this->table); $this->table = 'again'; return $this; } public function emptied(): static { unset($this->data); return $this; } }
final class One { use Takes; }
eval('final class Many { use Takes; ' . implode(' ', array_map(fn (int $i): string => "public \$p$i = $i;", range(1, 64))) . ' }');
eval('final class Most { use Takes; ' . implode(' ', array_map(fn (int $i): string => "public \$p$i = 'p$i';", range(1, 63))) . ' }');

$never = (new ReflectionClass('Few'))->newInstanceWithoutConstructor();
$values = [
    'few' => array_map(fn (int $i) => new Few($i), range(1, 300)),
    'mixed' => [new Few(1), (new Few(2))->listed(), (new Few(3))->emptied(), $never, new One, new Few(4), new Many, new Most, new One, (new Few(5))->listed()],
    'first is another' => [(new Few(2))->emptied(), new Few(3), 'id', 'table'],
    'one' => new Few(7),
    'most' => [new Most, new Most, 'more' => new Many],
];
$first = new Few(8);
$first->got = ['reference' => &$first->id];
$values['references'] = [$first, new Few(9)];
foreach ([1, 2] as $round) { // the second round uses what the first one has learnt about the classes
    foreach ($values as $name => $value) {
        VolatileCache::set($name, $value) || print "$name was not stored\n";
        $mine = VolatileCache::get($name);
        $wanted = unserialize(serialize($value));
        echo $name, ' ', VolatileCache::getCacheStoreType($name)->name, ' ', var_export(print_r($mine, true) === print_r($wanted, true) && serialize($mine) === serialize($wanted), true), "\n";
    }
}
/* A hook got an array of properties. Looking up keys and adding keys must work in this array. */
$got = VolatileCache::get('few')[299]->got;
var_dump($got['id'], isset($got["\0Few\0data"]), isset($got["\0*\0table"]), isset($got['data']), $got["\0Few\0data"]['table'], count($got));
$got['id'] = 0;
$got['added'] = 1;
echo implode(' ', array_map(fn (string $key): string => strtr($key, "\0", '.'), array_keys($got))), "\n";
--EXPECT--
few SharedGraph true
mixed SharedGraph true
first is another SharedGraph true
one SharedGraph true
most SharedGraph true
references SharedGraph true
few SharedGraph true
mixed SharedGraph true
first is another SharedGraph true
one SharedGraph true
most SharedGraph true
references SharedGraph true
int(300)
bool(true)
bool(true)
bool(false)
string(9) "table 300"
int(4)
id .Few.data .*.table got added
