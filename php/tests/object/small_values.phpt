--TEST--
larder: object: values of any number of elements come back the same, with and without a plan
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\VolatileCache;

/* put/small.c stores a value that has at most 16 elements and at most two arrays with keys. put/few.c or put/plan.c stores larger
 * values. */
final class Told
{
    public function __construct(public array $told) {}
    public function __serialize(): array { return $this->told; }
    public function __unserialize(array $data): void { $this->told = $data; }
}
/** Has no __serialize(), so __unserialize() gets the array of its properties. */
class Bare
{
    private int $number = 1;
    protected ?array $list = null;
    public $any;
    public array $got = [];
    public function __unserialize(array $data): void { $this->got = $data; }
}
final class Unset_ extends Bare { public int $never; }

function bare(Bare $bare, mixed $any): Bare { $bare->any = $any; return $bare; }

/** Stores a value, fetches it, and compares it with the expected value. Returns a list of errors. Compares an array three times: as a whole,
 * by key, and after the same change to both arrays. */
function wrong(mixed $value): array
{
    $expected = unserialize(serialize($value));
    if (!VolatileCache::set('key', $value)) return ['not stored'];
    $found = VolatileCache::get('key');
    $wrong = serialize($found) === serialize($expected) ? [] : ['differs'];
    if (!is_array($found)) return $wrong;
    foreach ($expected as $key => $element) {
        if (serialize($found[$key] ?? null) !== serialize($element)) $wrong[] = "key $key";
    }
    foreach ([&$found, &$expected] as &$copy) {
        try {
            $copy[] = 'next';
        } catch (Error $error) { // PHP cannot append after the key PHP_INT_MAX
            $copy['error'] = $error->getMessage();
        }
        $copy['new'] = 1;
    }
    return serialize($found) === serialize($expected) ? $wrong : [...$wrong, 'a changed copy differs'];
}

/** @return array<string, array> arrays of $count elements */
function arrays(int $count): array
{
    $strings = array_map(fn(int $i) => str_repeat('s', $i * $i), $count > 0 ? range(1, $count) : []);
    $keys = array_map(fn(int $i) => "key $i", array_keys($strings));
    $holes = [...$strings, 'hole', 'last'];
    unset($holes[$count]);
    $keyed = array_combine($keys, $strings);
    return [
        'numbers' => array_map(strlen(...), $strings), 'strings' => $strings, 'keyed' => $keyed,
        'one string' => array_fill(0, $count, 'the same'), 'scalars' => array_map(fn(int $i) => [null, true, false, -$i, $i / 3, ''][$i % 6], array_keys($strings)),
        'indexes' => array_combine(array_map(fn(int $i) => $i * 7 - 20, array_keys($strings)), $strings),
        'last index' => [PHP_INT_MAX => 1] + $keyed, 'lowest index' => [PHP_INT_MIN => 1] + $strings, 'holes' => $holes, 'key removed' => array_diff_key(['first' => 1] + $keyed, ['first' => 1]),
        'in one' => ['a' => $keyed], 'in two' => ['a' => ['b' => $keyed]], 'in three' => ['a' => ['b' => ['c' => $keyed]]], 'twice' => [$strings, $strings],
        'with an empty one' => [...$strings, []], 'deep' => array_reduce($strings, fn(array $all, string $one) => [$one, $all], [1]),
        'long' => [...$strings, str_repeat('x', 1600 - 10 * $count)], 'with an object' => [...$strings, new DateTimeImmutable('2024-02-29 UTC')], 'with a hook' => [...$strings, new Told($keyed)],
    ];
}

$checked = 0;
for ($count = 0; $count <= 20; $count++) {
    foreach (arrays($count) as $name => $array) {
        $referred = $array;
        $reference = 'referred';
        $referred['reference'] = &$reference;
        $values = ['array' => $array, 'told' => new Told($array), 'bare' => bare(new Bare(), $array), 'unset' => bare(new Unset_(), $array), 'told, referred' => new Told($referred)];
        foreach ($values as $kind => $value) {
            $checked++;
            foreach (wrong($value) as $what) echo "$kind, $name of $count: $what\n";
        }
    }
}
echo "$checked checked\n";

/* Each set() calls the hook once. If the hook throws an exception, set() throws this exception. */
final class Counted
{
    public static int $asked = 0;
    public function __serialize(): array { return ++self::$asked === 3 ? throw new Exception('third') : ['calls' => self::$asked]; }
    public function __unserialize(array $data): void { $this->calls = $data['calls']; }
    public int $calls = 0;
}
foreach ([1, 2, 3, 4] as $call) {
    try {
        VolatileCache::set('counted', new Counted());
        echo VolatileCache::get('counted')->calls, "\n";
    } catch (Exception $exception) {
        echo $exception->getMessage(), ', still ', VolatileCache::get('counted')->calls, "\n";
    }
}
/* If the result of a hook contains the hook's own object, put/plan.c stores the value. */
final class Own { public $own; public function __serialize(): array { return ['own' => $this]; } public function __unserialize(array $data): void { $this->own = $data['own']; } }
VolatileCache::set('own', new Own());
$own = VolatileCache::get('own');
var_dump($own->own === $own);
/* A long string that is repeated is stored once. */
$size = function (mixed $value): int { VolatileCache::set('size', $value); return VolatileCache::keyInfo('size')->size; };
var_dump($size(array_fill(0, 40, str_repeat('x', 500))) < 3000, $size([str_repeat('x', 1500), str_repeat('x', 1500)]) < 2000);
--EXPECT--
1995 checked
1
2
third, still 2
4
bool(true)
bool(true)
bool(true)
