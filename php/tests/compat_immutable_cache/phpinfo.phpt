--TEST--
larder: compat_immutable_cache: phpinfo() says whose API it is, and why it is off
--EXTENSIONS--
larder
--INI--
larder.compat=immutable_cache
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d display_startup_errors=0 -d extension=' . escapeshellarg($so);
foreach (['', 'immutable_cache.enabled=0', 'immutable_cache.enable_cli=0', 'immutable_cache.shm_size=x', 'larder.enable=0', 'larder.compat='] as $setting) {
    $text = shell_exec("$php -d larder.compat=immutable_cache " . ($setting === '' ? '' : "-d $setting") . ' -i 2>&1');
    preg_match('/^immutable_cache => .*\nVersion of the API => (.*)\nState => (.*)/m', $text, $m);
    echo $setting, ': ', $m[1] ?? 'no such section', ', ', $m[2] ?? '', preg_match('/^immutable_cache.shm_size => \S+ => \S+/m', $text) ? ', directives' : '', "\n";
}
--EXPECT--
: 6.1.0, on, directives
immutable_cache.enabled=0: 6.1.0, immutable_cache.enabled is 0, directives
immutable_cache.enable_cli=0: 6.1.0, immutable_cache.enable_cli is 0, directives
immutable_cache.shm_size=x: 6.1.0, immutable_cache.shm_size is not a size from 1M to 1T, directives
larder.enable=0: 6.1.0, larder.enable or larder.enable_cli is 0, directives
larder.compat=: no such section, 
