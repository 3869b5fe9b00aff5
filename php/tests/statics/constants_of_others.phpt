--TEST--
larder: statics: constants of elsewhere are no part of what a class was, with and without opcache
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/statics.php';
statics_skip();
require __DIR__ . '/../include/opcache.php';
if (opcache_load() === null) die('skip needs opcache');
?>
--FILE--
<?php
require __DIR__ . '/../include/opcache.php';
$folder = sys_get_temp_dir() . '/larder-constants-' . getmypid();
mkdir($folder, 0777, true);
$classes = <<<'CODE'
    <?php
    use Larder\{VolatileStatic, PinnedStatic};
    class A { const K = FOO; const L = self::K . 'x'; const AT = START; #[PinnedStatic] public static $n = 0; }
    class B extends A { const M = PHP_OS; const N = parent::L . PHP_VERSION; #[VolatileStatic] public static $n = 1 + 2 * 3; public $z = [PHP_INT_MAX, FOO]; }
    class C { #[PinnedStatic] public static array $n = [FOO]; private static $other = FOO . 'b'; private static $more = [self::M => START]; const M = 'm'; }
    class D { const K = 'literal'; #[PinnedStatic] static function n() { static $n = FOO, $m = 0; return ++$m; } }
    #[PinnedStatic] function n() { static $n = 0, $m = START; return ++$n; }
    CODE;
file_put_contents("$folder/program.php", <<<'CODE'
    <?php
    define('START', microtime(true));
    define('FOO', 'foo');
    require __DIR__ . '/classes.php';
    eval('class E { const K = FOO, AT = START; #[Larder\PinnedStatic] public static $n = 0; }');
    A::$n++; B::$n++; C::$n[] = FOO; E::$n++;
    echo json_encode([A::$n, B::$n, count(C::$n), D::n(), n(), E::$n]), ' ', A::AT === START && A::L === 'foox' ? 'right' : 'wrong';
    CODE);
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $module = $m[1];
$php = [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$module", '-d', "larder.path=$folder"];
$opcache = [...opcache_options(opcache_load()), '-d', 'opcache.enable_cli=1', '-d', 'opcache.jit=' . (ini_get('opcache.jit') ?: 'off'), '-d', 'opcache.jit_buffer_size=16M', '-d', 'opcache.file_update_protection=0'];
$run = function (bool $with, string $classes) use ($php, $opcache, $folder) {
    file_put_contents("$folder/classes.php", $classes);
    $process = proc_open([...$php, ...($with ? $opcache : []), "$folder/program.php"], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    echo $with ? 'with:    ' : 'without: ', stream_get_contents($pipes[1]), "\n";
    proc_close($process);
};
foreach ([false, true, true, false, false] as $with) $run($with, $classes);
echo "a literal has changed:\n";
foreach ([true, false] as $with) $run($with, str_replace("'literal'", "'other'", $classes));
foreach ([true, false] as $with) $run($with, str_replace('1 + 2 * 3', '20', $classes));
exec('rm -r ' . escapeshellarg($folder));
?>
--EXPECT--
without: [1,8,2,1,1,1] right
with:    [2,9,3,2,2,2] right
with:    [3,10,4,3,3,3] right
without: [4,11,5,4,4,4] right
without: [5,12,6,5,5,5] right
a literal has changed:
with:    [6,13,7,1,6,6] right
without: [7,14,8,2,7,7] right
with:    [8,21,9,6,8,8] right
without: [9,22,10,7,9,9] right
