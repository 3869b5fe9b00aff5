--TEST--
larder: ini: a value that is refused is said with the one that holds, at start-up and at run time
--EXTENSIONS--
larder
session
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$php = PHP_BINARY . " -n -d extension=$so -d html_errors=0";
$names = ['file_cache', 'file_cache_ttl', 'file_cache_revalidate', 'file_cache_max_size', 'session_lock', 'session_lock_wait', 'session_lock_timeout', 'session_max_size', 'statics_interval'];
foreach ($names as $name) {
    $text = (string) shell_exec("$php -d larder.$name=bad -r 'echo ini_get(\"larder.$name\");' 2>&1");
    preg_match('~^\s*Warning: (.*; it is (.*)) in Unknown on line 0\s+(.*)$~', $text, $m) || exit("$name: $text\n");
    echo $m[1], $name === 'statics_interval' || $m[2] === $m[3] ? '' : ", not $m[3]", "\n";
}
echo "-- all at once\n";
$text = (string) shell_exec($php . implode('', array_map(fn ($n) => " -d larder.$n=bad", $names)) . ' -r "" 2>&1');
echo substr_count($text, '; it is '), " warnings\n";
echo "-- at run time\n";
set_error_handler(function ($level, $message) { echo $message, "\n"; return true; });
foreach (['session_lock' => ['0', 'maybe', ''], 'session_lock_wait' => ['-1', '-2'], 'session_lock_timeout' => ['readonly', 'explode'], 'session_max_size' => ['2M', 'huge']] as $name => $values)
    foreach ($values as $value) ini_set("larder.$name", $value);
ini_set('larder.session_lock', 'maybe'); // keeps the value "", which the loop has set
--EXPECT--
larder.file_cache = "bad": must be 0 or 1; it is 0
larder.file_cache_ttl = "bad": must be a number of seconds, or 0 for no limit; it is 0
larder.file_cache_revalidate = "bad": must be a number of milliseconds, 0 for each call, or -1 for never; it is 0
larder.file_cache_max_size = "bad": must be a size of at least 1 byte, such as 1M; it is 1M
larder.session_lock = "bad": must be 0 or 1; it is 1
larder.session_lock_wait = "bad": must be a number of milliseconds, or -1 for no limit; it is 30000
larder.session_lock_timeout = "bad": must be fail or readonly; it is fail
larder.session_max_size = "bad": must be a size of at least 1 byte, such as 1M; it is 1M
larder.statics_interval = "bad": must be a number of milliseconds from 0 to 3600000; it is 10
-- all at once
9 warnings
-- at run time
larder.session_lock = "maybe": must be 0 or 1; it is 0
larder.session_lock_wait = "-2": must be a number of milliseconds, or -1 for no limit; it is -1
larder.session_lock_timeout = "explode": must be fail or readonly; it is readonly
larder.session_max_size = "huge": must be a size of at least 1 byte, such as 1M; it is 2M
larder.session_lock = "maybe": must be 0 or 1; it is ""
