--TEST--
larder: compat_apcu: phpinfo() says whose API it is, and why it is off
--EXTENSIONS--
larder
--INI--
larder.compat=apcu
--SKIPIF--
<?php
require __DIR__ . '/ours.inc';
?>
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d extension=' . escapeshellarg($so);
foreach (['', 'apc.enabled=0', 'apc.enable_cli=0', 'larder.enable=0', 'larder.compat='] as $setting) {
    $text = shell_exec("$php -d larder.compat=apcu " . ($setting === '' ? '' : "-d $setting") . ' -i 2>&1');
    preg_match('/^APCu => .*\nVersion of the API => .*\nState => (.*)/m', $text, $m);
    preg_match('/^Stands in for => (.*)/m', $text, $names);
    echo $setting, ': ', $m[1] ?? 'no such section', ', ', $names[1] ?? 'none', preg_match('/apcu_size/', $text) ? ', WRONG' : '', "\n";
}
--EXPECT--
: on, apcu
apc.enabled=0: apc.enabled or apc.enable_cli is 0, apcu
apc.enable_cli=0: apc.enabled or apc.enable_cli is 0, apcu
larder.enable=0: larder.enable or larder.enable_cli is 0, apcu
larder.compat=: no such section, none
