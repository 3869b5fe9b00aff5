--TEST--
larder: statics: off by default: nothing is installed, opcache's JIT is as it was set, and one warning names the line to write
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/opcache.php';
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $module = $m[1];
file_put_contents($program = sys_get_temp_dir() . '/larder-off-' . getmypid() . '.php', <<<'CODE'
    <?php
    final class Marked {
        #[Larder\PinnedStatic] public static int $n = 1;
        #[Larder\VolatileStatic] public static array $a = [];
        #[Larder\VolatileStatic] static function next() { static $i = 0; return ++$i; }
    }
    Marked::$n++; Marked::$a[] = 1; Marked::next();
    for ($i = 0; $i < 10; $i++) { Marked::$a[] = $i; usleep(1000); }
    /* SigCgt has a bit for each signal with a handler: bit 10 for SIGSEGV. PHP itself has no handler for SIGSEGV. */
    preg_match('/^SigCgt:\s*([0-9a-f]+)$/m', file_get_contents('/proc/self/status'), $m);
    echo json_encode([
        'handler' => (hexdec(substr($m[1], -4)) & 0x400) !== 0,
        'threads' => count(scandir('/proc/self/task')) - 2,
        'jit' => function_exists('opcache_get_status') ? opcache_get_status()['jit']['opt_flags'] ?? null : null,
        'stored' => class_exists('Larder\PinnedCache', false) && Larder\PinnedCache::keyInfo('n', Marked::class) !== null,
    ]), "\n";
    CODE);
$run = function (array $settings) use ($program): string {
    $process = proc_open([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', ...opcache_options(opcache_load()), '-d', 'opcache.enable_cli=1', '-d', 'opcache.jit=1205', '-d', 'opcache.jit_buffer_size=16M', ...$settings, $program], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    $out = stream_get_contents($pipes[1]);
    proc_close($process);
    return trim($out);
};
$without = json_decode($run([]), true);
foreach (['default' => [], '0' => ['-d', 'larder.statics=0'], '1' => ['-d', 'larder.statics=1'], 'Larder is off' => ['-d', 'larder.enable=0']] as $name => $settings) {
    $lines = explode("\n", $run(['-d', "extension=$module", ...$settings]));
    $found = json_decode(array_pop($lines), true);
    $same = $found['jit'] === $without['jit'];
    echo $name, ': ', $found['handler'] ? 'a handler' : 'no handler', ', ', $found['threads'] > 1 ? 'a thread' : 'no thread', ', ', $found['stored'] ? 'stored' : 'not stored';
    echo ', the JIT is ', $same || ($name === 1 && $without['jit'] !== null) ? 'right' : json_encode([$found['jit'], $without['jit']]), "\n", preg_replace('~ in /\S+ on line~', ' on line', implode("\n", array_filter($lines))), $lines ? "\n" : '';
}
unlink($program);
?>
--EXPECT--
default: no handler, no thread, not stored, the JIT is right
Warning: #[Larder\PinnedStatic] has no effect, because static state is off: write larder.statics = 1 into php.ini, and restart PHP on line 3
0: no handler, no thread, not stored, the JIT is right
Warning: #[Larder\PinnedStatic] has no effect, because static state is off: write larder.statics = 1 into php.ini, and restart PHP on line 3
1: a handler, a thread, stored, the JIT is right
Larder is off: no handler, no thread, not stored, the JIT is right
