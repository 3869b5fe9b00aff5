--TEST--
larder: object: a hook adds an object with a hook to a collection of scalars that the walk has passed
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

final class Sleeper { public $kept = 1; public $left = 2; public function __sleep(): array { echo "sleep "; return ['kept']; } public function __wakeup(): void { echo "wakeup "; $this->left = 'woken'; } }
final class Adds
{
    public function __construct(private object $to, private ?string $done = null) {}
    public function __serialize(): array
    {
        if ($this->done === null) $this->to[$this->to instanceof SplQueue ? null : 1] = [[new Sleeper()]];
        $this->done = 'added';
        return ['to' => $this->to];
    }
    public function __unserialize(array $data): void { $this->to = $data['to']; }
}

foreach ([new ArrayObject([[1], [['a']]]), new ArrayIterator(['x' => 1, 1 => 2]), SplFixedArray::fromArray([1, [2], [[3]]]), new SplQueue()] as $collection) {
    if ($collection instanceof SplQueue) $collection[] = [[1]];
    echo $collection::class, ': ';
    var_dump(VolatileCache::set('k', [$collection, new Adds($collection)]));
    $found = VolatileCache::get('k');
    $added = $found[0][1][0][0];
    var_dump(count($found[0]) === count($collection), $added->kept, $added->left);
}
--EXPECT--
ArrayObject: sleep bool(true)
wakeup bool(true)
int(1)
string(5) "woken"
ArrayIterator: sleep bool(true)
wakeup bool(true)
int(1)
string(5) "woken"
SplFixedArray: sleep bool(true)
wakeup bool(true)
int(1)
string(5) "woken"
SplQueue: sleep bool(true)
wakeup bool(true)
int(1)
string(5) "woken"
