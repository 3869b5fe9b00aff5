--TEST--
larder: statics: handlers of signals that are PHP code, which pcntl calls with all signals blocked, may write; they run only where the program says so
--EXTENSIONS--
larder
--INI--
larder.statics=1
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('signals', <<<'PHP'
class Foo { #[PinnedStatic] public static array $p = []; #[VolatileStatic] public static array $v = []; }
class Seen { public static int $calls = 0; }
function touched() {}
function write() { for ($i = 0; $i < 20; $i++) { Foo::$p[$i] = 'before'; touched(); } }
function on(int $signal, ?callable $handler = null) { pcntl_signal($signal, $handler ?? function () { Seen::$calls++; for ($i = 0; $i < 3; $i++) { Foo::$p[] = $i; touched(); Foo::$v[] = $i; touched(); } }); }
function send(int $signal) { posix_kill(posix_getpid(), $signal); touched(); }
PHP);
$ask = function (string $name, string $code) use ($file): void {
    Larder\PinnedCache::clear();
    Larder\VolatileCache::clear();
    echo "$name: ", json_encode(request("require '$file'; write(); $code")), ' ';
    echo json_encode(request("require '$file'; return [count(Foo::\$p), count(Foo::\$v)];")), "\n";
};
$after = 'return [Seen::$calls, count(Foo::$p), count(Foo::$v)];';
$ask('at once', "pcntl_async_signals(true); on(SIGUSR1); for (\$i = 0; \$i < 5; \$i++) { send(SIGUSR1); Foo::\$p[] = 'x'; touched(); } $after");
$ask('when asked', "on(SIGUSR1); send(SIGUSR1); pcntl_signal_dispatch(); Foo::\$p[] = 'x'; touched(); $after");
$ask('not before', "on(SIGUSR1); send(SIGUSR1); write(); usleep(30000); write(); $after");
$ask('at ticks', "on(SIGUSR1); declare(ticks = 1) { send(SIGUSR1); touched(); } Foo::\$p[] = 'x'; touched(); $after");
$ask('all blocked', "pcntl_sigprocmask(SIG_BLOCK, range(1, 31)); write(); Foo::\$v[] = 1; $after");
$ask('throws', "pcntl_async_signals(true); on(SIGUSR1, function () { Foo::\$p[] = 1; throw new Exception; }); try { send(SIGUSR1); touched(); } catch (Exception) { Foo::\$p[] = 2; touched(); } $after");
$ask('loads the class', "pcntl_async_signals(true); on(SIGUSR1, function () { eval('class Late { #[Larder\\PinnedStatic] static \$l = 1; }'); for (\$i = 0; \$i < 3; \$i++) { touched(); Late::\$l++; } Foo::\$v[] = Late::\$l; }); send(SIGUSR1); touched(); Late::\$l++; return [Late::\$l, Foo::\$v];");
$ask('in a handler', "pcntl_async_signals(true); on(SIGUSR2); on(SIGUSR1, function () { send(SIGUSR2); Foo::\$p[] = 1; touched(); Foo::\$p[] = 1; }); send(SIGUSR1); touched(); touched(); $after");
$ask('a child', "pcntl_async_signals(true); on(SIGUSR1, function () { if (!\$f = pcntl_fork()) { Foo::\$p['child'] = 1; touched(); Foo::\$p['child']++; exit; } pcntl_waitpid(\$f, \$s); echo pcntl_wifsignaled(\$s) ? 'died ' : 'ended '; }); send(SIGUSR1); touched(); Foo::\$v[] = 1; return 0;");
/* At one safe point, a write is refused and a signal has arrived. Both must be reported. */
$ask('refused', "pcntl_async_signals(true); on(SIGUSR1); \$pid = posix_getpid(); try { Foo::\$p[] = fn () => 1; posix_kill(\$pid, SIGUSR1); touched(); touched(); } catch (TypeError) { echo 'TypeError '; Foo::\$p = []; } for (\$end = microtime(true) + 60; !Seen::\$calls && microtime(true) < \$end;) touched(); $after");
/* A program that a handler starts inherits the blocked signals of the handler. */
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
$php = implode(' ', array_map('escapeshellarg', [getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$m[1]", '-d', 'larder.statics=1', '-r', "require '$file'; write(); echo count(Foo::\$p);"]));
$ask('starts a program', "pcntl_async_signals(true); on(SIGUSR1, function () { Foo::\$v[] = exec(" . var_export($php, true) . "); }); send(SIGUSR1); return Foo::\$v;");
foreach (['exit' => 'exit;', 'fatal error' => 'eval("function touched() {}");'] as $name => $end) {
    ini_set('display_errors', 0);
    $ask($name, "pcntl_async_signals(true); register_shutdown_function(function () { for (\$i = 0; \$i < 3; \$i++) { Foo::\$p[] = 'late'; touched(); } }); on(SIGUSR1, function () { Foo::\$p[] = 1; touched(); Foo::\$p[] = 2; $end }); send(SIGUSR1); touched();");
}
?>
--EXPECT--
at once: [5,40,15] [40,15]
when asked: [1,24,3] [24,3]
not before: [0,20,0] [20,0]
at ticks: [1,24,3] [24,3]
all blocked: [0,20,1] [20,1]
throws: [0,22,0] [22,0]
loads the class: [5,[4]] [20,1]
in a handler: [1,25,3] [25,3]
a child: ended 0 [21,1]
refused: TypeError [1,3,3] [3,3]
starts a program: ["20"] [20,1]
exit: null [25,0]
fatal error: null [25,0]
