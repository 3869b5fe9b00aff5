--TEST--
larder: fpm: requests that end in a fatal error, exit, memory limit or time limit leave nothing behind
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (getenv('USE_ZEND_ALLOC') === '0') die('skip there is no memory_limit without the memory manager of PHP: a request would take all memory');
require __DIR__ . '/../include/fpm.php';
fpm_skip();
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$fpm = fpm(['www' => ['php_admin_value[larder.pinned_size]' => '1M', 'php_admin_value[larder.volatile_size]' => '4M', 'php_admin_value[memory_limit]' => '32M']], ['display_errors' => 0]);
$fpm->run('www', 'P::set("big", str_repeat("x", 300000)); V::set("used", 0);');
$pid = $fpm->workers('www');

/* The store has room for three "big" values. If a request leaves a value held, reserved or locked, the checks in the last request fail. */
$ends = [
    'fatal error' => 'no_such_function();',
    'exit' => 'exit;',
    'exception' => 'throw new Exception("e");',
    'memory limit' => '$a = []; for (;;) $a[] = str_repeat("m", 100000);',
    'time limit' => 'set_time_limit(1); for (;;) hash("sha256", "x");',
];
$inside = [
    'holding' => '$v = P::get("big"); P::set("big", str_repeat("y", 300000)); %s',
    'computing' => '$v = P::get("big"); P::lock("lock"); V::lock("lock"); P::remember("gone", function () { P::remember("inner", function () { %s }); });',
    'serializing' => 'class C { public $x = 1; function __serialize(): array { $v = P::get("big"); %s } } V::set("object", [str_repeat("s", 100000), new C]);',
    'at the end' => 'register_shutdown_function(function () { $GLOBALS["v"] = P::get("big"); P::lock("late"); %s }); P::lock("lock"); header_register_callback(function () { P::get("big"); });',
];
foreach ($inside as $where => $code) {
    foreach ($ends as $how => $end) {
        for ($times = $how === 'time limit' ? 1 : 3; $times > 0; $times--) {
            $fpm->run('www', sprintf($code, $end));
        }
        $answer = $fpm->run('www', '$start = microtime(true); $ok = [];
            for ($i = 0; $i < 4; $i++) $ok[] = P::set("big", str_repeat(chr(97 + $i), 300000));
            $ok[] = P::lock("lock"); $ok[] = P::lock("late"); $ok[] = V::lock("lock"); $ok[] = P::remember("gone", fn () => 5) === 5; $ok[] = P::delete("gone"); $ok[] = P::get("inner") === null;
            $ok[] = V::set("object", [1]); $ok[] = V::get("object") === [1]; $ok[] = microtime(true) - $start < 9; $ok[] = P::info()->used_memory < 310000; $ok[] = count(P::keys()) === 1;
            echo in_array(false, $ok, true) ? json_encode($ok) : "clean";');
        if ($answer !== 'clean') {
            echo "$where, $how: $answer\n";
        }
    }
}
var_dump($fpm->workers('www') === $pid); /* one worker has served all requests */
preg_match_all('/(?:undefined function|Uncaught Exception|memory size|execution time)/', $fpm->log('www'), $m);
$counts = array_count_values($m[0]);
ksort($counts);
echo json_encode(array_keys($counts)), $fpm->said('www'), "\n";
--EXPECT--
bool(true)
["Uncaught Exception","execution time","memory size","undefined function"]
