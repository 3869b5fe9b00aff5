--TEST--
larder: statics: attributes that another process has compiled, and loaded into opcache's memory, are seen
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php
require __DIR__ . '/../include/statics.php';
statics_skip();
require __DIR__ . '/../include/opcache.php';
if (opcache_load() === null) die('skip needs opcache');
if (!in_array('pcntl', get_loaded_extensions()) || file_exists(ini_get('extension_dir') . '/pcntl.so')) die('skip needs pcntl in PHP itself');
?>
--FILE--
<?php
require __DIR__ . '/../include/opcache.php';
$folder = sys_get_temp_dir() . '/larder-seen-' . getmypid();
mkdir($folder, 0777, true);
file_put_contents("$folder/plain.php", '<?php class Base { public static $b = 1; } function plain() { static $n = 0; return ++$n; }');
file_put_contents("$folder/classes.php", <<<'CODE'
    <?php
    use Larder\{VolatileStatic, PinnedStatic};
    class Child extends Foo { public static $mine = 0; }
    class Foo { #[VolatileStatic] public static int $v = 0; static function bump() { return ++static::$v; } }
    trait Counts { #[VolatileStatic] public static int $counted = 0; #[VolatileStatic] static function n() { static $n = 0; return ++$n; } }
    class Uses { use Counts; }
    #[VolatileStatic] function counts() { static $n = 0; return ++$n; }
    CODE);
file_put_contents("$folder/program.php", <<<'CODE'
    <?php
    require __DIR__ . '/plain.php';
    function use_them(): array {
        require __DIR__ . '/classes.php';
        return [Foo::bump(), Child::bump(), ++Uses::$counted, Uses::n(), counts(), ++Base::$b, plain()];
    }
    for ($i = 0; $i < 3; $i++) {
        if (!pcntl_fork()) { // the first child compiles the code; the other children, and this process, find it in opcache
            $there = opcache_is_script_cached(__DIR__ . '/classes.php');
            echo json_encode([$there, use_them()]), "\n";
            exit;
        }
        pcntl_wait($status);
    }
    echo json_encode([opcache_is_script_cached(__DIR__ . '/classes.php'), use_them()]), "\n";
    CODE);
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $module = $m[1];
$php = [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', ...opcache_options(opcache_load()), '-d', "extension=$module", '-d', 'larder.statics=1', '-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0', '-d', "larder.path=$folder"];
$process = proc_open([...$php, "$folder/program.php"], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
echo stream_get_contents($pipes[1]);
proc_close($process);
exec('rm -r ' . escapeshellarg($folder));
?>
--EXPECT--
[false,[1,2,1,1,1,2,1]]
[true,[3,4,2,2,2,2,1]]
[true,[5,6,3,3,3,2,1]]
[true,[7,8,4,4,4,2,1]]
