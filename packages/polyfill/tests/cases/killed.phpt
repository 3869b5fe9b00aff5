--TEST--
polyfill: killed processes lose nothing of others; without the lock or the checksums something is lost
--SKIPIF--
<?php if (!extension_loaded('pcntl') || !extension_loaded('posix')) die('skip needs pcntl and posix'); ?>
--FILE--
<?php
$run = function (string ...$arguments): string {
    $package = getenv('LARDER_PROJECT') . '/packages/polyfill';
    $posix = is_file(ini_get('extension_dir') . '/posix.so') ? ['-d', 'extension=posix'] : [];
    $command = [PHP_BINARY, '-n', ...$posix, '-d', 'zend.assertions=1', '-d', 'display_errors=0', '-d', "auto_prepend_file=$package/autoload.php", "$package/tests/killed.php", ...$arguments];
    return trim((string) shell_exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>' . (PHP_OS_FAMILY === 'Windows' ? 'NUL' : '/dev/null')));
};
echo $run('100'), "\n";
foreach (['flock($this->control, $how)' => 'true', 'crc32($text) !== $sum' => 'false'] as $from => $to) {
    for ($try = 0; $try < 10 && !str_starts_with($got = $run('30', $from, $to), 'wrong: '); $try++);
    echo substr($got, 0, 6), "\n";
}
--EXPECT--
right
wrong:
wrong:
