--TEST--
larder: object: a class with __unserialize() alone gets what PHP's unserialize() would give it
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

class Base { private $hidden = 'base'; protected $got; public function __unserialize(array $data): void { $this->got = $data; foreach ($data as $name => $value) { $name = (string) $name; $this->{ltrim((string) strrchr("\0$name", "\0"), "\0")} = $value; } } public function __wakeup() { echo "never\n"; } }
#[AllowDynamicProperties] class Restored extends Base { public $a = 1; protected $b = [1, 2]; private $hidden = 'own'; public int $unset; public ?Restored $next = null; public $more; }
#[AllowDynamicProperties] class Selected { public $a = 1; public $b = 2; public $got; public function __sleep() { return ['a']; } public function __unserialize(array $data): void { $this->got = $data; } }
class Throws { public $a = 1; public function __unserialize(array $data): void { throw new DomainException('not this'); } }

$plain = new Restored;
$added = new Restored; $added->{'7'} = 'seven'; $added->added = [str_repeat('x', 100)]; unset($added->more);
$linked = new Restored; $linked->next = $linked; $linked->more = [$plain, $plain];
$shared = new Restored; $value = 5; $shared->a = &$value; $shared->more = [&$value, 6]; $once = 7; $shared->more[] = &$once; unset($once);
foreach (compact('plain', 'added', 'linked', 'shared') + ['selected' => new Selected, 'list' => [$plain, $linked, $plain]] as $name => $object) {
    VolatileCache::set($name, $object) || print "$name was not stored\n";
    $mine = VolatileCache::get($name);
    $wanted = unserialize(serialize($object));
    echo $name, ' ', VolatileCache::getCacheStoreType($name)->name, ' ', var_export(print_r($mine, true) === print_r($wanted, true) && serialize($mine) === serialize($wanted), true), "\n";
}
VolatileCache::set('throws', new Throws);
try {
    VolatileCache::get('throws');
} catch (DomainException $e) {
    echo $e->getMessage(), "\n";
}
--EXPECT--
plain SharedGraph true
added SharedGraph true
linked SharedGraph true
shared SharedGraph true
selected PHPSerialized true
list SharedGraph true
not this
