--TEST--
larder: statics: classes and functions that opcache has preloaded, and those of its file cache
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
?>
--FILE--
<?php
require __DIR__ . '/../include/opcache.php';
$folder = sys_get_temp_dir() . '/larder-preloaded-' . getmypid();
mkdir("$folder/cache", 0777, true);
file_put_contents("$folder/classes.php", <<<'CODE'
    <?php
    use Larder\{VolatileStatic, PinnedStatic, CacheStrategy};
    class Child extends Foo { #[VolatileStatic] public static $child = 0; }
    class Foo { #[VolatileStatic] public static $v = 0; #[PinnedStatic] protected static array $p = [self::START]; #[VolatileStatic(strategy: CacheStrategy::Tracking)] public static $t; const START = 'start';
        static function p($x = null) { if ($x) static::$p[] = $x; return self::$p; }
        #[VolatileStatic] static function method() { static $n = 0; return ++$n; } }
    class Middle extends Foo {}
    class Grandchild extends Middle { #[VolatileStatic] public static $own = 5; }
    class Point { public $x = 1; public ?Point $next = null; }
    #[VolatileStatic] function counts() { static $n = 0; return ++$n; }
    CODE);
file_put_contents("$folder/preload.php", "<?php require '$folder/classes.php';");
file_put_contents("$folder/program.php", <<<'CODE'
    <?php
    if (!class_exists('Foo')) require __DIR__ . '/classes.php';
    echo json_encode([Foo::$v, Child::$v, Child::$child, Child::p(), Foo::$t?->next->x, Foo::method(), counts(), Grandchild::$v, Grandchild::p(), Middle::$v]), "\n";
    Child::$v++; Foo::$v++; Child::$child += 10; Child::p('x'); Foo::$t ??= new Point; Foo::$t->next ??= new Point; Foo::$t->next->x++;
    CODE);
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $module = $m[1];
$php = [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', ...opcache_options(opcache_load()), '-d', "extension=$module", '-d', 'larder.statics=1', '-d', 'opcache.enable_cli=1', '-d', 'opcache.jit=' . (ini_get('opcache.jit') ?: 'off'), '-d', 'opcache.jit_buffer_size=16M', '-d', 'opcache.file_update_protection=0', '-d', "larder.path=$folder"];
foreach (['preloaded' => ['-d', "opcache.preload=$folder/preload.php", '-d', 'opcache.preload_user=' . posix_getpwuid(posix_geteuid())['name']], 'file cache' => ['-d', "opcache.file_cache=$folder/cache", '-d', 'opcache.file_cache_only=1']] as $how => $settings) {
    echo "$how:\n";
    for ($i = 0; $i < 3; $i++) {
        $process = proc_open([...$php, ...$settings, '-d', 'larder.scope=' . strtr($how, ' ', '_'), "$folder/program.php"], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
        echo stream_get_contents($pipes[1]);
        proc_close($process);
    }
}
exec('rm -r ' . escapeshellarg($folder));
?>
--EXPECT--
preloaded:
[0,0,0,["start"],null,1,1,0,["start"],0]
[2,2,10,["start","x"],2,2,2,2,["start","x"],2]
[4,4,20,["start","x","x"],3,3,3,4,["start","x","x"],4]
file cache:
[0,0,0,["start"],null,1,1,0,["start"],0]
[2,2,10,["start","x"],2,2,2,2,["start","x"],2]
[4,4,20,["start","x","x"],3,3,3,4,["start","x","x"],4]
