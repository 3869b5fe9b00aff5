--TEST--
larder: statics: values of every type and of every declared type come back, in several requests of one process
--EXTENSIONS--
larder
--INI--
larder.statics=1
--FILE--
<?php
require __DIR__ . '/../include/server.php';

$ask = server(<<<'CODE'
    use Larder\{VolatileStatic, PinnedStatic, CacheStrategy};
    require_once __DIR__ . '/index.inc';
    $wrong = [];
    $wanted = fn ($n) => ['int' => $n, 'float' => (float) $n / 2, 'string' => str_repeat('s', $n), 'bool' => $n % 2 === 1, 'null' => $n % 2 ? null : $n, 'union' => $n % 3 ? "u$n" : [$n], 'array' => range(0, $n),
        'object' => $n % 2 ? null : new Point($n, [1, 2]), 'iterable' => [$n], 'mixed' => [new Point($n, null), new ArrayObject([$n]), new DateTimeImmutable("@$n"), Suit::from($n % 2)], 'self' => null, 'intersection' => new ArrayObject([$n]), 'enum' => Suit::from($n % 2)];
    foreach (['V', 'P', 'T'] as $class) {
        $now = $class::all();
        if ($n === 0) { if ($now !== ['int' => 0, 'float' => 0.0, 'string' => '', 'bool' => false, 'null' => null, 'union' => [], 'array' => [1, 2], 'iterable' => [], 'mixed' => 'mixed', 'self' => null]) $wrong[] = "$class at first: " . var_export($now, true); }
        elseif (serialize($now) !== serialize(array_replace($now, $wanted($n - 1))) || count($now) !== 13) $wrong[] = "$class: " . implode(' ', array_keys(array_filter($wanted($n - 1), fn ($v, $k) => serialize($v) !== serialize($now[$k] ?? null), ARRAY_FILTER_USE_BOTH)));
        elseif ($now['enum'] !== Suit::from(($n - 1) % 2) || $now['mixed'][3] !== $now['enum']) $wrong[] = 'another case';
        $class::set($wanted($n));
    }
    echo $wrong ? implode("\n", $wrong) : 'fine';
    CODE, 0, 'display_errors=1');
$body = <<<'CODE'
    class K {
        A public static int $int = 0;
        A protected static float $float = 0.0;
        A private static string $string = '';
        A public static bool $bool = false;
        A public static ?int $null = null;
        A protected static string|array|int $union = [];
        A public static array $array = [1, 2];
        A public static ?Point $object;
        A public static iterable $iterable = [];
        A private static mixed $mixed = 'mixed';
        A public static ?self $self = null;
        A public static Countable&Traversable $intersection;
        A public static Suit $enum;
        static function all() { return array_filter((new ReflectionClass(self::class))->getStaticProperties(), fn ($name) => true, ARRAY_FILTER_USE_KEY); }
        static function set(array $values) { foreach ($values as $name => $value) self::$$name = $value; }
    }
    CODE;
$folder = glob(sys_get_temp_dir() . '/larder-server-' . getmypid() . '-*')[0];
file_put_contents("$folder/index.inc", "<?php\nuse Larder\\{VolatileStatic, PinnedStatic, CacheStrategy};\nenum Suit: int { case A = 0; case B = 1; }\nclass Point { public function __construct(public int \$x, private ?array \$more) {} }\n"
    . strtr($body, ['class K' => 'class V', 'A ' => '#[VolatileStatic] ']) . strtr($body, ['class K' => 'class P', 'A ' => '#[PinnedStatic] '])
    . strtr($body, ['class K' => 'class T', 'A ' => '#[VolatileStatic(strategy: CacheStrategy::Tracking)] ']));
$answers = [];
for ($n = 0; $n < 12; $n++) $answers[$ask($n)][] = $n;
foreach ($answers as $answer => $which) echo $answer, $answer === 'fine' ? '' : ': ' . implode(' ', $which), "\n";
?>
--EXPECT--
fine
