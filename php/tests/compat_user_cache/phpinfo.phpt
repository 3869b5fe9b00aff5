--TEST--
larder: compat_user_cache: phpinfo() says whose API it is, and why it is off
--EXTENSIONS--
larder
--INI--
larder.compat=user_cache
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = escapeshellarg(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . ' -n -d extension=' . escapeshellarg($so);
foreach (['', 'larder.volatile_size=0', 'larder.enable=0', 'larder.compat=', 'larder.compat=opcache,user_cache'] as $setting) {
    $text = shell_exec("$php -d larder.compat=user_cache " . ($setting === '' ? '' : "-d $setting") . ' -i 2>&1');
    preg_match('/^user_cache => its API, by Larder .*\nVersion of the API => .*\nState => (.*)/m', $text, $m);
    preg_match('/^Stands in for => (.*)/m', $text, $names);
    echo $setting, ': ', $m[1] ?? 'no such section', ', ', $names[1] ?? 'none', "\n";
}
--EXPECT--
: on, user_cache
larder.volatile_size=0: larder.volatile_size is 0, user_cache
larder.enable=0: larder.enable or larder.enable_cli is 0, user_cache
larder.compat=: no such section, none
larder.compat=opcache,user_cache: on, opcache, user_cache
