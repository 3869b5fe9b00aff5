--TEST--
larder: resident: what could change, or what the engine has to know of, is built anew by each fetch
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

final readonly class Fits { public function __construct(public mixed $v = 1, public int $w = 2) {} }
final class NotReadonly { public function __construct(public readonly mixed $v = 1) {} }
final class Writable { public $v = 1; }
final readonly class Destructor { public function __construct(public mixed $v = 1) {} public function __destruct() { } }
final readonly class Get { public function __construct(public mixed $v = 1) {} public function __get($n) { return 'got'; } }
final readonly class Isset_ { public function __construct(public mixed $v = 1) {} public function __isset($n) { return true; } }
final readonly class Unset_ { public function __construct(public mixed $v = 1) {} public function __unset($n) { } }
final readonly class Set { public function __construct(public mixed $v = 1) {} public function __set($n, $v) { } }
final readonly class Sleeps { public function __construct(public mixed $v = 1) {} public function __sleep() { return ['v']; } }
final readonly class Wakes { public function __construct(public mixed $v = 1) {} public function __wakeup() { } }
final readonly class States { public mixed $v; public function __construct() { $this->v = 1; } public function __serialize(): array { return [1]; } public function __unserialize(array $d): void { $this->v = $d; } }
final readonly class Late { public int $a; public function __construct(public mixed $v = 1) {} public function init(): void { $this->a = 5; } }
readonly class Open_ { public function __construct(public mixed $v = 1) {} }
enum Suit { case Hearts; }
$shared = 'shared'; $list = [1, 2]; $list[] = &$shared; $again = [&$shared];

$values = [
    'it fits' => new Fits, 'an object of another class' => new Fits(new Writable), 'stdClass' => new Fits(new stdClass),
    'deep inside' => [[new Fits([1, ['x' => new Fits(new Fits(new Writable))]])]],
    'only properties are readonly' => new NotReadonly, 'destructor' => new Destructor, '__get' => new Get, '__isset' => new Isset_, '__unset' => new Unset_, '__set' => new Set,
    '__sleep' => new Sleeps, '__wakeup' => new Wakes, '__serialize' => new States, 'not initialised' => new Late, 'not initialised inside' => new Fits(new Late),
    'a reference' => new Fits([$list, $again]), 'a date' => new Fits(new DateTimeImmutable('2024-01-01')), 'a collection' => new Fits(new ArrayObject([1])),
    'a case alone' => Suit::Hearts, 'a case in an array' => [Suit::Hearts, [1]],
];
foreach ($values as $name => $value) {
    VolatileCache::set('k', $value);
    $a = VolatileCache::get('k'); $b = VolatileCache::get('k');
    $object = function ($v) use (&$object) { return is_array($v) ? $object(reset($v)) : $v; };
    echo str_pad($name, 30), str_pad(VolatileCache::getCacheStoreType('k')->name, 12), $object($a) === $object($b) ? 'same' : 'anew', serialize($a) === serialize($value) ? "\n" : ", WRONG\n";
}
echo 'not final, before 8.4: ';
VolatileCache::set('k', new Open_);
var_dump((VolatileCache::get('k') === VolatileCache::get('k')) === (PHP_VERSION_ID < 80400));
$late = new Late; VolatileCache::set('late', $late);
VolatileCache::get('late')->init(); $other = VolatileCache::get('late'); $other->init(); echo $other->a, "\n";
?>
--EXPECT--
it fits                       Resident    same
an object of another class    SharedGraph anew
stdClass                      SharedGraph anew
deep inside                   SharedGraph anew
only properties are readonly  SharedGraph anew
destructor                    SharedGraph anew
__get                         SharedGraph anew
__isset                       SharedGraph anew
__unset                       SharedGraph anew
__set                         SharedGraph anew
__sleep                       SharedGraph anew
__wakeup                      SharedGraph anew
__serialize                   SharedGraph anew
not initialised               SharedGraph anew
not initialised inside        SharedGraph anew
a reference                   SharedGraph anew
a date                        SharedGraph anew
a collection                  SharedGraph anew
a case alone                  SharedGraph same
a case in an array            SharedGraph same
not final, before 8.4: bool(true)
5
