--TEST--
larder: statics: safe points in loops that opcache's JIT has compiled leave variables as they are
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/opcache.php'; if (opcache_load() === null) die('skip needs opcache'); ?>
--FILE--
<?php
require __DIR__ . '/../include/opcache.php';
$program = tempnam(sys_get_temp_dir(), 'larder-jit-');
file_put_contents($program, <<<'CODE'
    <?php
    class Foo { #[Larder\PinnedStatic] static $p = 0; #[Larder\VolatileStatic] static array $v = []; }
    function assigns($n) { for ($i = 0; $i < $n; $i++) { Foo::$p = 'a'; } }
    function counts($n) { Foo::$p = 0; for ($i = 0; $i < $n; $i++) { Foo::$p++; } return Foo::$p; }
    function appends($n) { Foo::$p = []; for ($i = 0; $i < $n; $i++) { Foo::$p[] = $i; } return array_sum(Foo::$p); }
    function nested($n) { $sum = 0; for ($i = 0; $i < 20; $i++) { for ($j = 0; $j < $n; $j++) { Foo::$v[$j & 7] = $i; $sum += $i * $j; } } return $sum; }
    function set($i) { Foo::$p = $i; }
    function calls($n) { for ($i = 0, $f = 0.5; $i < $n; $i++, $f += 0.5) { set($i); } return $f; }
    function outside() { $seen = 0; for ($i = 0; $i < 3000000; $i++) { $seen += $i & 1; if (($i & 0xffff) === 0) { Foo::$v['i'] = $i; } } return $seen; }
    foreach ($argv[1] ? [$argv[1]] : [] as $jit) ini_set('opcache.jit', $jit);
    echo json_encode([assigns(400), counts(400), appends(100), nested(20), calls(400), outside()]);
    CODE);
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $module = $m[1];
$php = ['timeout', '20', getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', ...opcache_options(opcache_load()), '-d', "extension=$module", '-d', 'larder.statics=1', '-d', 'opcache.enable_cli=1', '-d', 'opcache.file_update_protection=0', '-d', 'opcache.jit_buffer_size=16M'];
$hot = ['-d', 'opcache.jit_hot_loop=2', '-d', 'opcache.jit_hot_func=2', '-d', 'opcache.jit_hot_return=2', '-d', 'opcache.jit_hot_side_exit=1'];
$ask = function (string $name, array $settings, string $set = '') use ($php, $program): void {
    $process = proc_open([...$php, ...$settings, $program, $set], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    echo "$name: ", stream_get_contents($pipes[1]), "\n";
    proc_close($process);
};
$ask('off', ['-d', 'opcache.jit=off']);
foreach (['tracing', 'function', '1', '1254', '1255', '1235', '254'] as $jit) {
    $ask($jit, ['-d', "opcache.jit=$jit"]);
    $ask("$jit, hot", ['-d', "opcache.jit=$jit", ...$hot]);
}
$ask('set later', ['-d', 'opcache.jit=off', ...$hot], 'tracing');
unlink($program);
?>
--EXPECT--
off: [null,400,4950,36100,200.5,1500000]
tracing: [null,400,4950,36100,200.5,1500000]
tracing, hot: [null,400,4950,36100,200.5,1500000]
function: [null,400,4950,36100,200.5,1500000]
function, hot: [null,400,4950,36100,200.5,1500000]
1: [null,400,4950,36100,200.5,1500000]
1, hot: [null,400,4950,36100,200.5,1500000]
1254: [null,400,4950,36100,200.5,1500000]
1254, hot: [null,400,4950,36100,200.5,1500000]
1255: [null,400,4950,36100,200.5,1500000]
1255, hot: [null,400,4950,36100,200.5,1500000]
1235: [null,400,4950,36100,200.5,1500000]
1235, hot: [null,400,4950,36100,200.5,1500000]
254: [null,400,4950,36100,200.5,1500000]
254, hot: [null,400,4950,36100,200.5,1500000]
set later: [null,400,4950,36100,200.5,1500000]
