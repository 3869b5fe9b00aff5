--TEST--
larder: ops: a short value with a long text is shortened, not printed as JSON, and takes little memory; any other text is that of print_r()
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (PHP_DEBUG) die('skip at its end, a debug build of PHP frees all objects, and overflows its stack');
?>
--FILE--
<?php
namespace Larder\Ops;
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
foreach (['Text', 'Failure', 'Printer'] as $class) {
    require_once dirname(__DIR__, 3) . "/ops/src/$class.php";
}
enum Suit: string { case Hearts = 'h'; }
enum Bare { case One; }
class Base { public $a = 1; protected $b = [1, [2]]; private $c; public readonly int $unset; }
class Derived extends Base { private $c = 7; public $list = []; }
class Described { private $hidden = 1; function __debugInfo() { return ['shown' => [1], "\0*\0p" => 2]; } }
class Json implements \JsonSerializable { function __construct(public mixed $value) {} function jsonSerialize(): mixed { return $this->value === 0 ? $this : $this->value; } }
class Endless implements \JsonSerializable { function jsonSerialize(): mixed { return new self(); } }
$heap = new \SplMinHeap(); $heap->insert(5); $heap->insert(3);
$storage = new \SplObjectStorage(); $storage[new Base()] = [1];
$ring = new \stdClass(); $ring->self = $ring; $ring->{'1'} = 2; $ring->{''} = [$ring];
$gone = unserialize('O:4:"Gone":2:{s:1:"a";i:1;s:4:"' . "\0*\0" . 'b";a:1:{i:0;i:2;}}');
$values = [[], [[]], new \stdClass(), [new \stdClass()], [1.0, -0.0, 1e100, 0.1 + 0.2, true, false, null, "a\nb/\u{e9}"], ['k' => ['a' => 1], "\0x\0y" => 2, 5 => []], [[1, [2, [3]]], 4],
    Suit::Hearts, [Suit::Hearts], new Base(), [new Base(), new Derived()], [new Described()], [new \ArrayObject(['a' => new Base()])], new \ArrayIterator([1]), new \DateTime('2020-01-01'),
    [new \DateTimeZone('UTC'), new \DateInterval('P1D')], \SplFixedArray::fromArray([1, [2]]), [$heap, $storage], [new \SplObjectStorage(), [new \SplQueue()]], $ring, [$gone], "\xff\0", [new Json([1, [2]]), new Json(0)]];
foreach ($values as $i => $value) {
    [$text, $cut] = Printer::text($value);
    echo $text === (is_string($value) ? $value : print_r($value, true)) && $cut === '' ? '' : "another text of $i: $text\n";
    $json = json_encode($value, JSON_PRETTY_PRINT | JSON_PARTIAL_OUTPUT_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
    echo Printer::json($value) === $json ? '' : "another JSON of $i: " . Printer::json($value) . "\n";
}
echo str_replace(["\n", ' '], '', Printer::json([INF, (object) ['nan' => NAN], Bare::One])), "\n";
try {
    Printer::json(new Endless());
} catch (Failure $e) {
    echo $e->getMessage(), "\n";
}

$folder = ops_folder();
ops_php("-d larder.path=$folder -d larder.scope=t -d larder.volatile_size=128M -d memory_limit=1G", '
    $tree = [1]; $twins = (object) ["v" => 1]; $deep = []; $chain = null;
    for ($i = 0; $i < 100; $i++) { $tree = [$tree, $tree]; $twins = (object) ["a" => $twins, "b" => $twins]; }
    for ($i = 0; $i < 100000; $i++) { $deep = [$deep]; $chain = (object) ["next" => $chain]; }
    $ring = [1]; $ring[1] = &$ring; $ring[2] = &$ring;
    foreach (compact("tree", "twins", "deep", "chain", "ring") as $key => $value) V::set($key, $value);
    V::set("long", array_fill(0, 1000, str_repeat("x", 1000000)));
    V::set("lines", str_repeat("a\n", 10000000));
    exec("kill -9 " . getmypid()); // PHP would overflow its stack when it frees $chain');
$get = function (string ...$arguments) use ($folder): string {
    $command = implode(' ', array_map(escapeshellarg(...), ops_command('get', ...$arguments, ...['--scope', 't', '--folder', $folder])));
    $process = proc_open(['sh', '-c', "ulimit -t 300; $command"], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['pipe', 'w']], $pipes);
    $size = strlen(stream_get_contents($pipes[1]));
    return (in_array('--json', $arguments, true) ? ($size > 0 ? 'JSON' : 'nothing') : $size) . ' ' . stream_get_contents($pipes[2]) . 'exit code ' . proc_close($process) . "\n";
};
foreach (['tree', 'twins', 'deep', 'chain', 'ring', 'long', 'lines'] as $key) {
    echo "-- $key\n", $get($key), $get($key, '--json');
}

echo "-- the dashboard\n";
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . " $folder/larder.php");
putenv('LARDER_DASHBOARD=read');
$serve = server("require '$folder/larder.php';", 0, "larder.path=$folder -d larder.scope=t");
foreach (['tree', 'chain', 'lines', 'ring'] as $key) {
    $answer = json_decode(file_get_contents('http://' . (new \ReflectionFunction($serve))->getStaticVariables()['address'] . '/?api=get&id=' . urlencode(base64_encode($key))), true);
    echo strlen($answer['text']), ' ', $answer['cut'], "\n";
}
?>
--EXPECT--
[null,{"nan":null},"One"]
the value is not printed as JSON: it has more than 500 levels of arrays and objects; read it in PHP
-- tree
26843550 larder: the value of tree is shortened: it takes more than 26,843,545 bytes
exit code 1
nothing larder: the value is not printed as JSON: it takes more than 26,843,545 bytes; read it in PHP
exit code 1
-- twins
26843550 larder: the value of twins is shortened: it takes more than 26,843,545 bytes
exit code 1
nothing larder: the value is not printed as JSON: it takes more than 26,843,545 bytes; read it in PHP
exit code 1
-- deep
3005017 larder: the value of deep is shortened: it has more than 500 levels of arrays and objects
exit code 1
nothing larder: the value is not printed as JSON: it has more than 500 levels of arrays and objects; read it in PHP
exit code 1
-- chain
3011527 larder: the value of chain is shortened: it has more than 500 levels of arrays and objects
exit code 1
nothing larder: the value is not printed as JSON: it has more than 500 levels of arrays and objects; read it in PHP
exit code 1
-- ring
293 exit code 0
JSON exit code 0
-- long
26843550 larder: the value of long is shortened: it takes more than 26,843,545 bytes
exit code 1
nothing larder: the value is not printed as JSON: it takes more than 26,843,545 bytes; read it in PHP
exit code 1
-- lines
20000000 exit code 0
JSON exit code 0
-- the dashboard
100005 it takes more than 100,000 bytes
100005 it takes more than 100,000 bytes
100005 it takes more than 100,000 bytes
293
