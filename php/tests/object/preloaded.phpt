--TEST--
larder: object: preloaded classes and enums are found, with their constants and defaults
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('posix')) die('skip needs posix');
require __DIR__ . '/../include/opcache.php';
if (opcache_load() === null) die('skip needs opcache');
?>
--FILE--
<?php
require __DIR__ . '/../include/opcache.php';
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$opcache = implode(' ', opcache_options(opcache_load()));
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
$folder = sys_get_temp_dir() . '/larder-preload-' . getmypid();
mkdir($folder);
file_put_contents("$folder/preload.php", '<?php
    enum Suit: string { case Hearts = "h"; case Spades = "s"; const WILD = self::Spades; }
    class Base { private $secret = [Suit::WILD, PHP_INT_SIZE]; public ?Suit $suit = Suit::Hearts; function secret() { return $this->secret; } }
    final class Leaf extends Base { public readonly int $n; public $late = self::LIST; const LIST = [Suit::Spades]; public ?Leaf $next = null; function __construct(int $n) { $this->n = $n; } }');
file_put_contents("$folder/run.php", '<?php
    use Larder\VolatileCache as V;
    $leaf = new Leaf(5); $leaf->next = new Leaf(6); unset($leaf->late);
    var_dump(V::set("k", [$leaf, "case" => Suit::Spades]));
    for ($i = 0; $i < 3; $i++) $got = V::get("k");
    var_dump($got[0]->n, $got[0]->next->n, $got[0]->late === [$got["case"]], $got["case"] === Suit::Spades, $got[0]->secret() === [Suit::Spades, 8], $got[0]->next->late === Leaf::LIST);
    if (function_exists("pcntl_fork") && pcntl_fork() === 0) { $got = V::get("k"); echo $got[0]->next->n === 6 && $got[0]->suit === Suit::Hearts ? "" : "wrong in the child\n"; exit; }
    if (function_exists("pcntl_wait")) pcntl_wait($s);');
$user = posix_getpwuid(posix_geteuid())['name'];
exec("$php -n -d extension=$so $opcache -d opcache.enable_cli=1 -d opcache.preload=$folder/preload.php -d opcache.preload_user=$user $folder/run.php 2>&1", $out);
echo implode("\n", $out), "\n";
array_map('unlink', glob("$folder/*"));
rmdir($folder);
--EXPECT--
bool(true)
int(5)
int(6)
bool(true)
bool(true)
bool(true)
bool(true)
