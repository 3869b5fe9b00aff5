<?php
/* Random graphs of objects, the classes of these objects, and a comparison of graphs. The classes are source text: a process may load them,
 * autoload them, or not know them. */

function graph_classes(): array
{
    $code = [
        'Plain' => 'class Plain { public $a; protected $b = [1, 2]; private $c = "c"; function fill($a, $b, $c) { $this->a = $a; $this->b = $b; $this->c = $c; }
            function bind(&$r) { $this->c = &$r; } function bindOpen(&$r) { $this->a = &$r; } }',
        'Base' => 'abstract class Base { private $same = "base"; private $own; protected $shared = 1; public $open;
            function fill($a, $b, $c) { $this->same = $a; $this->own = $b; $this->shared = $c; } function bind(&$r) { $this->own = &$r; } }',
        'Middle' => 'class Middle extends Base { private $same = "middle"; public $open = 2; function fill($a, $b, $c) { parent::fill($b, $c, $a); $this->same = $a; $this->open = $b; } }',
        'Leaf' => 'final class Leaf extends Middle { private $same = "leaf"; protected $shared = 3; private ?Leaf $next = null;
            function fill($a, $b, $c) { parent::fill($c, $a, $b); $this->same = $b; if ($a instanceof Leaf) $this->next = $a; } function bind(&$r) { parent::bind($r); $this->same = &$r; } }',
        'Fixed' => 'class Fixed { public readonly mixed $value; public readonly ?Fixed $next; protected readonly array $list; public readonly int $never;
            function __construct($value, $next, $list) { $this->value = $value; if ($next instanceof self) $this->next = $next; $this->list = is_array($list) ? $list : [$list]; } }',
        'Frozen' => '#[AllowDynamicProperties] class Frozen extends Fixed { private readonly string $id; public $loose; function __construct($a, $b, $c) { parent::__construct($a, $b, $c); $this->id = "id"; $this->loose = $c; } }',
        'Typed' => 'class Typed { public int|string|Plain|null $union = null; public ?self $me; private self|array|bool $un; public float $number; protected iterable $items = []; public mixed $mixed; public ?Letter $letter = null; public int $never;
            function fill($a, $b, $c) { if (is_int($a) || is_string($a) || $a instanceof Plain) $this->union = $a; if ($b instanceof self) $this->me = $b; if (is_array($c) || $c instanceof self) { $this->un = $c; }
                if (is_array($b)) $this->items = $b; $this->mixed = $c; if ($a instanceof Letter) $this->letter = $a; if (is_float($b)) $this->number = $b; }
            function bind(&$r) { $this->mixed = &$r; } function bindInt(&$r) { $this->union = &$r; } }',
        'Losing' => 'class Losing { public $a = "default"; private $b = [1]; protected int $typed = 5; public ?string $text = null; public $kept;
            function fill($a, $b, $c) { $this->kept = $c; $this->a = $a; unset($this->b); if (is_int($a)) unset($this->typed); if (is_string($b)) unset($this->text); if ($c === null) unset($this->a); } }',
        'Open' => '#[AllowDynamicProperties] class Open { public $declared = 0; private $hidden; function fill($a, $b, $c) { $this->hidden = $a; $this->added = $b; $this->{"7"} = $c; $this->{"with space"} = $a; } function bind(&$r) { $this->late = &$r; } }',
        'OpenLeaf' => 'class OpenLeaf extends Open { protected $hidden = "leaf"; function fill($a, $b, $c) { unset($this->declared); parent::fill($c, $b, $a); unset($this->added); $this->{"-3"} = $b; } }',
        'Letter' => 'enum Letter { case A; case B; case C; const FIRST = self::A; }',
        'Suit' => 'enum Suit: string implements Named { case Hearts = "h"; case Spades = "s"; const WILD = self::Spades; static function pick(int $i): self { return $i % 2 ? self::Hearts : self::Spades; } function name(): string { return $this->name; } }',
        'Level' => 'enum Level: int { case Low = 1; case High = Level::BASE * 10; const BASE = 7; }',
        'Named' => 'interface Named { const KIND = "named"; function name(): string; }',
        'State' => 'class State { private $x; public $y = "unset by hook"; function fill($a, $b, $c) { $this->x = [$a, "k" => $b]; $this->y = $c; }
            function __serialize(): array { return ["x" => $this->x, 5 => $this->y]; } function __unserialize(array $data): void { [$this->x, $this->y] = [$data["x"], $data[5]]; } }',
        'StateLeaf' => 'class StateLeaf extends State { protected ?State $z = null; function fill($a, $b, $c) { parent::fill($b, $a, $c); if ($a instanceof State) $this->z = $a; }
            function __serialize(): array { return ["parent" => parent::__serialize(), "z" => $this->z]; } function __unserialize(array $data): void { parent::__unserialize($data["parent"]); $this->z = $data["z"]; } }',
        'StateReference' => 'class StateReference { private $v; private $w; function fill($a, $b, $c) { $this->v = is_object($a) ? [$a] : $a; $this->w = &$this->v; }
            function __serialize(): array { return ["v" => &$this->v, "w" => &$this->w]; } function __unserialize(array $data): void { $this->v = &$data["v"]; $this->w = &$data["w"]; } }',
        'Sleeper' => 'class Sleeper { public $a = 1; private $p = "private"; protected $q = [1]; public $dropped = "default"; protected ?object $link = null;
            function fill($a, $b, $c) { $this->a = $a; $this->p = $b; $this->q = $c; $this->dropped = $a; } function bind(&$r) { $this->a = &$r; }
            function __sleep() { return ["a", "q", "p"]; } function __wakeup() { $this->link = new stdClass; } }',
        'SleeperLeaf' => 'class SleeperLeaf extends Sleeper { private $p = "of leaf"; public int $typed = 4; function fill($a, $b, $c) { parent::fill($c, $b, $a); $this->p = $a; } function __sleep() { return ["p", "\0Sleeper\0p", "typed", "q"]; } }',
        'Waker' => 'class Waker { public $inner; private int $woken = 0; function fill($a, $b, $c) { $this->inner = [$a, $b, $c]; } function __wakeup() { $this->woken++; } }',
        'Magic' => 'class Magic { private array $store = ["init" => 1]; public $gone = "set"; function fill($a, $b, $c) { $this->store["a"] = $a; $this->b = $b; unset($this->gone); $this->{"9"} = $c; }
            function __get($n) { return $this->store[$n] ?? null; } function __set($n, $v) { $this->store[$n] = $v; } function __isset($n) { return isset($this->store[$n]); } function __unset($n) { unset($this->store[$n]); } }',
        'Constants' => 'class Constants extends ConstantsBase implements Named { const LIST = [self::A, "k" => parent::B, [Named::KIND]]; const A = "a"; public $list = self::LIST; public array $more = [PHP_INT_MAX, self::A . "-" . parent::B]; public Suit $suit = Suit::Hearts; private $wild = Suit::WILD;
            public $changed = self::A; function fill($a, $b, $c) { $this->changed = $a; if ($b === null) unset($this->list); if (is_array($b)) $this->more = $b; } function name(): string { return "n"; } }',
        'ConstantsBase' => 'class ConstantsBase { const B = "base"; protected Letter $letter = Letter::FIRST; private $own = [Level::High, "x" => M_PI]; }',
        'Ending' => 'class Ending { public $v; static int $ended = 0; function fill($a, $b, $c) { $this->v = $a; } function __destruct() { self::$ended++; } }',
        'MyArrayObject' => 'class MyArrayObject extends ArrayObject { private $extra = "x"; protected readonly int $number; function fill($a, $b, $c) { $this->extra = $a; $this["k"] = $b; $this[] = $c; } }',
        'MyIterator' => 'class MyIterator extends ArrayIterator { public $extra; function fill($a, $b, $c) { $this->extra = $a; $this["k"] = $b; $this[] = $c; } }',
        'MyStorage' => 'class MyStorage extends SplObjectStorage { public $extra; function fill($a, $b, $c) { $this->extra = $a; foreach ([$a, $b, $c] as $o) if (is_object($o)) $this[$o] = $b; } }',
        'MyList' => 'class MyList extends SplDoublyLinkedList { protected $extra = []; function fill($a, $b, $c) { $this->extra[] = $a; $this[] = $b; $this->unshift($c); } }',
        'MyQueue' => 'class MyQueue extends SplQueue { function fill($a, $b, $c) { $this->enqueue($a); $this->enqueue($b); } }',
        'MyFixed' => 'class MyFixed extends SplFixedArray { public $extra; function fill($a, $b, $c) { $this->setSize(3); $this[0] = $a; $this[2] = $b; $this->extra = $c; } }',
        'MyHeap' => 'class MyHeap extends SplMinHeap { public $extra = 1; function fill($a, $b, $c) { $this->extra = $a; } }',
        'MyDate' => 'class MyDate extends DateTimeImmutable { public $extra = 1; private ?array $list = null; function fill($a, $b, $c) { $this->extra = $a; if (is_array($b)) $this->list = $b; } function bind(&$r) { $this->extra = &$r; } }',
        'MyMoment' => '#[AllowDynamicProperties] class MyMoment extends DateTime { protected $kept = "k"; private int|string $typed; public ?self $next = null; public $lost = 1;
            function fill($a, $b, $c) { $this->kept = $a; if (is_int($b) || is_string($b)) $this->typed = $b; if ($c instanceof self) $this->next = $c; if ($a === null) unset($this->lost); if ($b === null) $this->dynamic = $c; } }',
        'MyPeriod' => 'class MyPeriod extends DatePeriod { public $note; function fill($a, $b, $c) { $this->note = $a; } }',
        'MyList2' => 'class MyList2 extends ArrayObject { public $extra; private ?array $more = null; function fill($a, $b, $c) { $this->extra = $a; if (is_array($b)) $this->more = $b; $this["k"] = $c; } function bind(&$r) { $this->extra = &$r; } }',
        'MyZone' => 'class MyZone extends DateTimeZone { public $note = "zone"; }',
        'MyInterval' => 'class MyInterval extends DateInterval { public $note = "interval"; private $more; function fill($a, $b, $c) { $this->more = $a; } }',
    ];
    return array_change_key_case($code);
}

/** Loads all classes at once, or if $later is true, each one at its first use. */
function graph_load_classes(bool $later): void
{
    $code = graph_classes();
    spl_autoload_register(function ($class) use ($code) {
        if (isset($code[strtolower($class)])) {
            eval($code[strtolower($class)]);
        }
    });
    if (!$later) {
        foreach ($code as $class => $_) {
            class_exists($class) || interface_exists($class);
        }
    }
}

/** Makes random graphs. Equal seeds give equal graphs. */
final class RandomGraph
{
    private const USER = ['Plain', 'Middle', 'Leaf', 'Typed', 'Losing', 'Open', 'OpenLeaf', 'State', 'StateLeaf', 'StateReference', 'Sleeper', 'SleeperLeaf', 'Waker',
        'Magic', 'Constants', 'Ending', 'MyArrayObject', 'MyIterator', 'MyStorage', 'MyList', 'MyQueue', 'MyFixed', 'MyHeap', 'MyList2'];
    private array $objects = [];
    private array $arrays = [];
    private array $references = [];
    private int $budget;
    /** The kinds of classes in this graph. A graph has only a few kinds, so that many graphs together have all pairs of kinds. */
    private array $user;
    private bool $referring;
    /**
     * Exactly one of $referring, $cyclic and $sharing is true: the graph has references, cycles (made by later changes), or arrays in
     * several places. If two were true, an array could contain itself through an object, and PHP's serializer would write this array as
     * null.
     */
    private bool $cyclic;
    private bool $sharing;
    /** True: the graph has many arrays of enum cases. */
    private bool $enumerated;
    private array $constants = [];
    private array $complete = []; // objects to which no later parts are added

    /** $keep gets all objects, because PHP's serializer writes some objects twice if nothing else refers to them. */
    public static function make(int $seed, ?array &$keep = null): mixed
    {
        $maker = new self;
        $root = $maker->graph($seed);
        $keep = $maker->objects;
        return $root;
    }

    private function graph(int $seed): mixed
    {
        mt_srand($seed);
        $this->budget = [3, 10, 30, 100, 300][mt_rand(0, 4)];
        [$this->referring, $this->cyclic, $this->sharing] = [[true, false, false], [false, true, false], [false, false, true]][mt_rand(0, 2)];
        $this->user = [];
        for ($i = mt_rand(1, 6); $i > 0; $i--) {
            $this->user[] = self::USER[mt_rand(0, count(self::USER) - 1)];
        }
        $this->enumerated = mt_rand(0, 3) === 0;
        $root = mt_rand(0, 3) ? $this->object(0) : $this->list(0);
        if ($this->enumerated) { // add many arrays of cases, because a few would not be kept between fetches
            for ($i = 0, $root = ['root' => $root]; $i < 20; $i++) {
                $root[] = mt_rand(0, 2) ? $this->cases(0) : [$this->cases(0), $this->object(11)];
            }
        }
        /* Make the first objects refer to the last ones, which makes cycles. */
        foreach ($this->cyclic ? $this->objects : [] as $object) {
            if (mt_rand(0, 3) === 0 && method_exists($object, 'fill')) {
                $object->fill($this->old(), $this->old(), $this->old());
            }
        }
        $this->references = [];
        return $root;
    }

    private function old(): mixed
    {
        $from = mt_rand(0, 2) ? ($this->sharing ? $this->complete : $this->objects) : $this->arrays;
        return $from === [] ? null : $from[mt_rand(0, count($from) - 1)];
    }

    private function scalar(): mixed
    {
        return match (mt_rand(0, 11)) {
            0 => null, 1 => true, 2 => false, 3 => mt_rand(-9, 9), 4 => PHP_INT_MIN, 5 => mt_rand(0, 99) / 7, 6 => -0.0, 7 => INF,
            8 => '', 9 => 'text ' . mt_rand(0, 20), 10 => "\0zero \xff" . str_repeat('long', mt_rand(0, 60)), 11 => ['a', 'é', 'Plain', 'x'][mt_rand(0, 3)],
        };
    }

    private function value(int $depth): mixed
    {
        $this->budget--;
        $kind = $this->budget < 0 || $depth > 12 ? mt_rand(0, 4) : mt_rand(0, 16);
        return match (true) {
            $kind < 4 => $this->scalar(),
            $kind < 7 => $this->old(),
            $kind < 10 => $this->list($depth + 1),
            default => $this->object($depth + 1),
        };
    }

    private function list(int $depth): array
    {
        if ($this->enumerated && mt_rand(0, 1)) {
            return $this->cases($depth);
        }
        if (mt_rand(0, 3) === 0) {
            return $this->rows($depth);
        }
        $array = [];
        $packed = mt_rand(0, 1);
        for ($i = mt_rand(0, 5), $n = 0; $i > 0; $i--, $n++) {
            $key = $packed ? $n : ["k$n", "some key $n", $n * 7 - 3, (string) ($n * 100)][mt_rand(0, 3)];
            if ($this->referring && mt_rand(0, 4) === 0) {
                $array[$key] = &$this->reference($depth);
            } else {
                $array[$key] = $this->value($depth);
            }
        }
        if ($array !== [] && mt_rand(0, 4) === 0) {
            unset($array[array_key_first($array)]); // a hole
        }
        if ($this->sharing && mt_rand(0, 2) === 0) {
            $this->arrays[] = $array;
        }
        return $array;
    }

    /** Makes arrays from a few literals, which share the strings of their keys. Then changes some of the arrays. */
    private function rows(int $depth): array
    {
        $literals = [
            fn($a, $b) => ['id' => $a, 'name' => $b, 'more' => null],
            fn($a, $b) => ['id' => $a, 'eman' => $b, 'more' => 1],
            fn($a, $b) => ['id' => $b, 8 => $a, 'more' => 2],
            fn($a, $b) => ['id' => $b, 9 => $a, 'more' => 3],
            fn($a, $b) => [8 => $a, 9 => $b],
        ];
        $rows = [];
        $most = mt_rand(0, 4);
        for ($i = mt_rand(1, 6); $i > 0; $i--) {
            $row = $literals[mt_rand(0, 2) ? $most : mt_rand(0, 4)]($this->value($depth), $this->scalar());
            $key = array_keys($row)[mt_rand(0, count($row) - 1)];
            switch (mt_rand(0, 9)) {
                case 0:
                    unset($row[$key]);
                    break;
                case 1: // move an element to the end
                    $value = $row[$key];
                    unset($row[$key]);
                    $row[$key] = $value;
                    break;
                case 2:
                    unset($row[$key]);
                    $row['another'] = $this->scalar();
                    break;
                case 3:
                    $row['another'] = $this->scalar();
                    break;
                case 4:
                    if ($this->referring) {
                        $row[$key] = &$this->reference($depth);
                    }
                    break;
                case 5: // make an object whose table of properties is the array
                    $row = (object) $row;
                    break;
            }
            $rows[] = $row;
            if ($this->sharing && is_array($row) && mt_rand(0, 5) === 0) {
                $this->arrays[] = $row;
            }
        }
        return $rows;
    }

    private function case(): UnitEnum
    {
        return [Letter::A, Letter::B, Letter::C, Suit::Hearts, Suit::Spades, Level::Low, Level::High][mt_rand(0, 6)];
    }

    /** Makes an array of enum cases, scalars, and arrays of this kind, some in several places. */
    private function cases(int $depth): array
    {
        if ($this->sharing && $this->constants !== [] && mt_rand(0, 3) === 0) {
            return $this->constants[mt_rand(0, count($this->constants) - 1)];
        }
        $array = [];
        for ($i = mt_rand(1, 4); $i > 0; $i--) {
            $value = $depth < 4 && mt_rand(0, 2) === 0 ? $this->cases($depth + 1) : (mt_rand(0, 2) ? $this->case() : $this->scalar());
            if (mt_rand(0, 1)) {
                $array["k$i"] = $value;
            } else {
                $array[] = $value;
            }
        }
        return $this->constants[] = $array;
    }

    private function &reference(int $depth): mixed
    {
        if (count($this->references) < 4) {
            $new = mt_rand(0, 1) ? $this->scalar() : $this->list($depth + 1); // not an object: see GraphDump
            $this->references[] = &$new;
            return $new;
        }
        return $this->references[mt_rand(0, 3)];
    }

    private function object(int $depth): object
    {
        $v = fn() => $this->value($depth);
        $at = '@' . mt_rand(0, 2000000000) . '.' . mt_rand(0, 9);
        $object = match ($kind = mt_rand(0, 30)) {
            0, 1, 2 => new stdClass,
            3 => (object) [$v(), 'k' => $v(), '12' => $v()],
            4 => new Fixed($v(), $this->old(), $this->scalar()),
            5 => new Frozen($v(), $this->old(), $this->scalar()),
            6 => $this->case(),
            7 => $this->date(DateTime::class),
            8 => $this->date([DateTimeImmutable::class, MyDate::class, MyMoment::class][mt_rand(0, 2)]),
            9 => $this->interval(),
            10 => $this->period(),
            11 => [fn() => new ArrayObject($this->list($depth), max(0, mt_rand(-4, 3))), fn() => new ArrayObject((object) ['inside' => $v()], mt_rand(0, 3)), fn() => new ArrayIterator($this->list($depth)), fn() => new MyList2($this->list($depth)), fn() => new ArrayObject([1, $v()], 0, MyIterator::class)][mt_rand(0, 4)](),
            12 => new SplObjectStorage,
            13 => [new SplDoublyLinkedList, new SplQueue, new SplStack][mt_rand(0, 2)],
            14 => SplFixedArray::fromArray([$v(), $v()]),
            default => null,
        };
        if ($object === null) {
            $class = $this->user[mt_rand(0, count($this->user) - 1)];
            $object = new $class;
        }
        $this->objects[] = $object; // add the object before its parts, because the parts may refer to it
        $this->fill($object, $v, $depth);
        $this->complete[] = $object;
        return $object;
    }

    /** Makes a date. Some dates are near a change of the zone's offset: within a day, or in an hour that the zone repeats or skips. */
    private function date(string $class): DateTimeInterface
    {
        $zone = ['Europe/Paris', '+05:30', 'EST', 'America/New_York', 'UTC', 'Asia/Tokyo', 'CEST', '-00:30', 'Australia/Lord_Howe', 'Z', 'America/Sao_Paulo'][mt_rand(0, 10)];
        $at = match (mt_rand(0, 5)) {
            0 => '@' . [1711846800, 1729990800, 1710054000, 1730613600, 1712415600, 2140045200][mt_rand(0, 5)] + mt_rand(-150, 150) * 1800,
            1 => sprintf('%04d-%02d-%02d %02d:%02d:%02d', mt_rand(1, 9999), mt_rand(1, 12), mt_rand(1, 31), mt_rand(0, 23), mt_rand(0, 59), mt_rand(0, 59)),
            2 => ['-0044-03-15', '+12024-01-01', '0000-01-01', '9999-12-31 23:59:59.999999', '1969-12-31 23:59:59.5'][mt_rand(0, 4)],
            default => '@' . mt_rand(0, 2000000000) . '.' . mt_rand(0, 999999),
        };
        return (new $class($at, new DateTimeZone($zone)))->setTimezone(mt_rand(0, 3) ? new DateTimeZone($zone) : new MyZone('Asia/Tokyo'));
    }

    /** Makes a period. Begins an iteration of some periods. */
    private function period(): DatePeriod
    {
        $start = $this->date([DateTime::class, DateTimeImmutable::class, MyDate::class][mt_rand(0, 2)]);
        $interval = [new DateInterval('P1D'), new DateInterval('PT' . mt_rand(1, 99) . 'H'), $start->diff($this->date(DateTime::class)), DateInterval::createFromDateString('next weekday')][mt_rand(0, 3)];
        $period = new ([DatePeriod::class, MyPeriod::class][mt_rand(0, 1)])($start, $interval, mt_rand(0, 1) ? mt_rand(1, 4) : $this->date(DateTimeImmutable::class), mt_rand(0, 3));
        for ($i = mt_rand(0, 4), $dates = $period->getIterator(); $i > 0 && $dates->valid(); $i--) {
            $dates->next();
        }
        return $period;
    }

    private function interval(): object
    {
        $from = $this->date(DateTimeImmutable::class);
        return match (mt_rand(0, 9)) {
            0 => new DateTimeZone(['America/Lima', 'Europe/Paris', '+14:00', 'EDT'][mt_rand(0, 3)]),
            1 => $from->getTimezone(),
            2 => new MyZone(['UTC', '-12:00', 'cet'][mt_rand(0, 2)]),
            3 => new DateInterval('P1Y2DT3H'),
            4 => DateInterval::createFromDateString(['3 days ago', 'next weekday', 'last day of next month', '+1 hour -7 minutes'][mt_rand(0, 3)]),
            5 => new MyInterval('PT' . mt_rand(0, 99999) . 'M'),
            default => $from->diff($this->date(DateTime::class), (bool) mt_rand(0, 1)),
        };
    }

    private function fill(object $object, Closure $v, int $depth): void
    {
        if (method_exists($object, 'fill')) {
            /* Wrap an array in an object. If fill() put an array with references in two places, PHP's serializer would merge the references
             * of both places. */
            $once = fn($value) => $this->referring && is_array($value) ? (object) ['list' => $value] : $value;
            $object->fill($once($v()), $once($v()), $once($v()));
        } elseif ($object instanceof SplObjectStorage) {
            $object[new stdClass] = $v();
            $object[$object] = 1;
            if (is_object($old = $this->old())) {
                $object[$old] = $v();
            }
        } elseif ($object instanceof SplDoublyLinkedList) {
            $object[] = $v();
            $object[] = $v();
        } elseif ($object instanceof stdClass || $object instanceof Frozen) {
            $object->first = $v();
            $object->{(string) mt_rand(-2, 5)} = $v();
            if ($this->referring) {
                $object->reference = &$this->reference($depth);
                if (mt_rand(0, 1)) {
                    $object->again = &$object->reference;
                }
            }
        }
        if ($this->referring && mt_rand(0, 1) && method_exists($object, 'bind')) {
            $object->bind($this->reference($depth));
        }
        if ($this->referring && $object instanceof Typed && mt_rand(0, 1)) {
            $number = mt_rand(0, 9);
            $object->bindInt($number);
            $this->objects[] = $other = new Typed;
            $other->bindInt($number);
            $object->mixed = [$other, &$number];
        }
    }
}

/** Describes a value as a text. Equal texts mean equal structure, types, identities and references. */
final class GraphDump
{
    private array $objects = [];
    private array $references = [];
    private bool $referred = false;

    /** Returns the text. $referred becomes true if the value contains a reference to an object. */
    public static function of(mixed $value, ?bool &$referred = null): string
    {
        $dump = new self;
        $text = $dump->value($value);
        $referred = $dump->referred;
        return $text;
    }

    private function value(mixed $value): string
    {
        return match (true) {
            is_array($value) => $this->elements($value),
            is_object($value) => $this->object($value),
            default => serialize($value),
        };
    }

    private function elements(array $array): string
    {
        $text = '[';
        foreach ($array as $key => $_) {
            $text .= (is_int($key) ? $key : '"' . addcslashes($key, "\0..\37") . '"') . ' => ';
            $reference = ReflectionReference::fromArrayElement($array, $key)?->getId();
            /* If an object occurs in several places, and one place is a reference, PHP's serializer writes a reference in all places. So
             * ignore references to objects. */
            if ($reference === null || is_object($array[$key])) {
                $this->referred = $this->referred || $reference !== null;
                $text .= $this->value($array[$key]);
            } elseif (isset($this->references[$reference])) {
                $text .= "&{$this->references[$reference]}";
            } else {
                $this->references[$reference] = count($this->references);
                $text .= "&{$this->references[$reference]} " . $this->value($array[$key]);
            }
            $text .= ', ';
        }
        return "$text]";
    }

    private function object(object $object): string
    {
        if (isset($this->objects[spl_object_id($object)])) {
            return '#' . $this->objects[spl_object_id($object)][0];
        }
        $this->objects[spl_object_id($object)] = [count($this->objects), $object]; // keep the object, so that no other object gets its id
        $text = '#' . (count($this->objects) - 1) . ' ' . get_class($object);
        if ($object instanceof UnitEnum) {
            return "$text::$object->name";
        }
        foreach ([ArrayObject::class, ArrayIterator::class, SplObjectStorage::class, SplDoublyLinkedList::class] as $class) {
            if ($object instanceof $class) {
                return "$text " . $this->elements((new ReflectionMethod($class, '__serialize'))->invoke($object));
            }
        }
        if ($object instanceof DateTimeInterface) {
            $text .= ' ' . $object->format('Y-m-d H:i:s.u e');
        } elseif ($object instanceof SplFixedArray) {
            $text .= ' ' . $this->elements($object->toArray());
        } elseif ($object instanceof SplHeap) {
            $text .= ' ' . count($object);
        }
        if ($object instanceof DatePeriod) { // also compare the dates of the iteration, because the properties are other objects
            $text .= ' ' . $this->elements($object->__serialize());
        }
        return "$text " . $this->elements(get_mangled_object_vars($object));
    }
}
