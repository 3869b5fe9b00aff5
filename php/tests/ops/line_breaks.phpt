--TEST--
larder: ops: a number, address, user, setting or word of a message that ends with a line break is not taken for one without it
--EXTENSIONS--
larder
--FILE--
<?php
use Larder\Ops\{Diagnosis, Facts, Failure, FastCgi, Options, OtherUsers, Target};

foreach (glob(dirname(__DIR__, 3) . '/ops/src/*.php') as $file) {
    require_once $file;
}
$said = function (callable $do): string {
    try {
        return json_encode($do());
    } catch (Failure $e) {
        return str_replace('user "' . OtherUsers::me(), 'user "ME', $e->getMessage());
    }
};
foreach (['', "\n"] as $end) {
    $facts = Facts::gather('');
    foreach (['volatile_size' => '2M', 'resident_size' => '1M', 'statics' => 'on', 'statics_interval' => '5', 'path' => '/dev/shm', 'scope' => 'app', 'form' => 'auto', 'collect' => '1', 'entries_hint' => '5', 'pools' => '5', 'compat' => 'apcu'] as $name => $value) {
        $facts['settings']["larder.$name"] = ['value' => $value . $end, 'configured' => null];
    }
    $texts = array_column(array_filter(Diagnosis::of($facts, ''), fn(array $finding): bool => $finding['check'] === 'settings' && $finding['level'] === 'wrong'), 'text');
    echo "-- ", json_encode($end), "\n", count($texts), ' settings are bad: ', implode(' ', array_map(fn(string $text): string => strtok($text, ' '), $texts)), "\n";
    echo $said(fn() => (new Options(['--limit', "5$end"]))->count('limit', 1, 1)), "\n";
    echo (new Options(['keys', "app$end"]))->line(), "\n";
    if (function_exists('posix_getpwnam')) {
        echo $said(fn() => Target::become(OtherUsers::me() . $end)), "\n";
    } else {
        echo $end === '' ? "null\n" : "there is no user \"ME\n\"\n";
    }
    echo preg_replace('/: Connection refused.*/', ': refused', $said(fn() => (new FastCgi("127.0.0.1:1$end"))->request([]))), "\n";
}
?>
--EXPECT--
-- ""
0 settings are bad: 
5
keys app
null
127.0.0.1:1: refused
-- "\n"
11 settings are bad: larder.volatile_size larder.resident_size larder.statics larder.statics_interval larder.path larder.scope larder.form larder.collect larder.entries_hint larder.pools larder.compat
--limit 5
: a whole number from 1 to 999999999 is expected
keys 'app
'
there is no user "ME
"
127.0.0.1:1
: No such file or directory; a path of php-fpm's socket ("listen" of the pool) or HOST:PORT is expected
