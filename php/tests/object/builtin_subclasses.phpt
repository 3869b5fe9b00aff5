--TEST--
larder: object: subclasses of PHP's own classes: their properties survive and their hooks are called as by unserialize()
--EXTENSIONS--
larder
--INI--
date.timezone=UTC
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
use Larder\VolatileCache;

class Day extends DateTimeImmutable { public $note = 'n'; protected ?array $tags = null; private int|string $typed; public ?self $next = null; public $lost = 'default';
    function fill($note, $tags, $typed) { $this->note = $note; $this->tags = $tags; $this->typed = $typed; return $this; } function bind(&$r) { $this->note = &$r; return $this; } }
class HiddenDay extends Day { private $typed = 'of the child'; private array $map = ['a' => [1]]; function set($typed) { $this->typed = $typed; $this->map[] = $typed; return $this; } }
class Box extends ArrayObject { public $label = [1]; private ?Box $in = null; function put($box) { $this->in = $box; return $this; } function offsetGet(mixed $key): mixed { return 'got ' . parent::offsetGet($key); } }
class Row extends SplFixedArray { protected $name = 'row'; function name($name) { $this->name = $name; return $this; } }
class Zone extends DateTimeZone { public $city = 'c'; }
class Span extends DateInterval { public $label; }
class Fixed extends DateTimeImmutable { public readonly int $id; function __construct($when, $id = null) { parent::__construct($when); if ($id) $this->id = $id; } }
class FixedChild extends Fixed { public $more = 1; }
class Setter extends DateTime { public $kept = 1; public $seen = []; function __set($name, $value) { $this->seen[] = $name; } }
class Named extends DateTime { public $date = 'mine'; public $timezone; }
class Own extends DateTime { function __serialize(): array { echo 'own out '; return parent::__serialize(); } }
class OwnIn extends DateTime { function __unserialize(array $data): void { echo 'own in '; parent::__unserialize($data); } }
class OwnBox extends ArrayObject { function __serialize(): array { echo 'own out '; return parent::__serialize(); } }
class OwnSon extends Own { public $x = 5; }
class Silent extends DateTime { function __construct() {} function __sleep(): array { echo 'never called'; return []; } }
#[AllowDynamicProperties] class Open extends DateTimeZone { }
class Ending extends DateTime { static $ended = 0; public $with; function __destruct() { self::$ended++; } }

function describe($value) { try { return print_r($value, true) . serialize($value); } catch (Throwable $e) { return get_class($e) . ': ' . $e->getMessage(); } }
function roundTrip(Closure $run) { try { return $run(); } catch (Throwable $e) { return $e; } }
$outer = 'bound';
$self = (new Day('2024-01-01'))->fill(1, [2], 3); $self->next = $self;
$lost = new Day('2024-02-02'); unset($lost->lost, $lost->note);
$open = new Open('Asia/Tokyo'); $open->{'dynamic'} = [1]; $open->{'7'} = 8;
$zone = new Zone('Europe/Paris'); $zone->city = ['Paris', new Zone('EST')];
$span = (new Span('P1D')); $span->label = $self;
$setter = new Setter('2024-01-01'); unset($setter->kept);
$named = new Named('2024-01-01 12:00'); $named->timezone = $zone;
$box = (new Box(['k' => 1, [2], 3 => new Box]))->put(new Box([5])); $box->label = 'l';
$flags = new Box([1, 2], ArrayObject::ARRAY_AS_PROPS); $listed = new ArrayObject(['a' => 1], ArrayObject::STD_PROP_LIST); $around = new Box(new ArrayObject([1]));
$around2 = new Box((object) ["inside" => $self]); $iterator = (new ArrayObject([3, 1]))->getIterator();
$row = (Row::fromArray([1, 'a', $box, null]));
$named2 = (new Row(2))->name([$row]);
$with = new Ending('2024-05-05'); $with->with = new ArrayObject([new Ending('2024-06-06')]);
$values = ['day' => (new Day('2024-01-01 +03:00'))->fill('x', [[1], 'k' => $zone], 'text'), 'child' => (new HiddenDay('2024-01-01 EST'))->set(5)->fill($outer, null, 7), 'self' => $self, 'lost' => $lost,
    'bound' => (new Day('2024-01-01'))->bind($outer), 'bound together' => [(new Day('2024-01-01'))->bind($outer), (new Day('2024-01-01'))->bind($outer)], 'zone' => $zone, 'span' => $span, 'open' => $open, 'readonly' => new Fixed('2024-01-01', 5), 'readonly unset' => new Fixed('2024-01-01'), 'readonly of the parent' => new FixedChild('2024-01-01', 5), 'setter' => $setter, 'named' => $named,
    'own' => new Own('2024-01-01'), 'own in' => new OwnIn('2024-01-01'), 'own box' => new OwnBox([1]), 'own son' => new OwnSon('now'), 'silent' => new Silent, 'box' => $box, 'flags' => $flags, 'listed' => $listed, 'around' => $around, 'around object' => $around2,
    'other iterator' => new ArrayObject([1], 0, RecursiveArrayIterator::class), 'of iterator' => $iterator, 'recursive' => new RecursiveArrayIterator([[1], 2]), 'row' => $row, 'row in row' => $named2, 'empty row' => new SplFixedArray(0), 'ending' => $with];
foreach ($values as $name => $value) {
    ob_start();
    $wanted = roundTrip(fn() => unserialize(serialize($value)));
    $said = ob_get_clean();
    ob_start();
    $got = roundTrip(fn() => VolatileCache::set('v', $value) ? VolatileCache::get('v') : false);
    $also = ob_get_clean();
    ob_start();
    $again = $got instanceof Throwable ? $got : roundTrip(fn() => VolatileCache::get('v'));
    [$wanted, $got, $again] = array_map('describe', [$wanted, $got, $again]);
    ob_end_clean();
    if ($wanted !== $got || $wanted !== $again || $said !== $also) echo "$name differs:\n$wanted\n$got\n$said|$also\n";
    elseif ($said !== '') echo "$name: $said\n";
}
echo "all of them at once\n";
unset($values['readonly of the parent'], $values['silent']);
ob_start();
VolatileCache::set('all', $values);
$got = VolatileCache::get('all');
$wanted = unserialize(serialize($values));
$differ = array_filter(array_keys($wanted), fn($name) => describe($wanted[$name]) !== describe($got[$name]));
ob_end_clean();
var_dump($differ);
var_dump($got['self'] === $got['span']->label, $got['self']->next === $got['self'], $got['row'][2] === $got['box'], $got['box']['k'], $got['zone']->city[1]->getName(), VolatileCache::getCacheStoreType('all')->name);
$got['box'][] = 'more'; $got['box']->label = 0; $got['row'][0] = 9; unset($got['day']->note);
ob_start();
$other = VolatileCache::get('all');
ob_end_clean();
var_dump(count($other['box']), $other['row'][0]);
unset($got, $wanted, $other, $again);
gc_collect_cycles();
Ending::$ended = 0;
$got = VolatileCache::get('v');
unset($got);
var_dump(Ending::$ended);
echo "a class that changed\n";
if (function_exists('pcntl_fork') && ($pid = pcntl_fork()) === 0) { eval('class Moved extends ArrayObject { public $a = 1; public $b = 2; } class Stays extends DateTime { public $x = 5; }'); $m = new Moved([1]); $m->b = 3; VolatileCache::set('moved', $m); VolatileCache::set('stays', new Stays('2024-01-01')); $self->next = null; exit; }
pcntl_waitpid($pid, $status);
eval('class Moved extends ArrayObject { public $b = 2; public $a = 1; } class Stays extends DateTime { public $x = 5; }');
var_dump(VolatileCache::get('moved', 'a miss'), VolatileCache::get('stays')->format('Y'));
$self->next = null;
--EXPECT--
own: own out 
own in: own in 
own box: own out 
own son: own out 
all of them at once
array(0) {
}
bool(true)
bool(true)
bool(true)
string(5) "got 1"
string(3) "EST"
string(11) "SharedGraph"
int(3)
int(1)
int(2)
a class that changed
string(6) "a miss"
string(4) "2024"
