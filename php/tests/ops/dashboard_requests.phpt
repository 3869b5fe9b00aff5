--TEST--
larder: ops: the page is served under any address; a store that is off takes the totals of prefixes from the metrics, not the rest
--EXTENSIONS--
larder
--INI--
error_reporting=E_ALL & ~E_DEPRECATED
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
require __DIR__ . '/../include/server.php';
$folder = ops_folder();
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . " $folder/larder.php");
putenv('LARDER_DASHBOARD=read');
$serve = server("require '$folder/larder.php';", 0, 'larder.volatile_size=0');
$url = 'http://' . (new ReflectionFunction($serve))->getStaticVariables()['address'];
foreach (['/', '/larder', '/a;b', '/a,b?c', '/%20x;=/y'] as $path) {
    $page = file_get_contents($url . $path, false, stream_context_create(['http' => ['ignore_errors' => true]]));
    echo $path, ' ', strtok(substr($http_response_header[0], 9), ' '), ' ', substr($page, 0, 15), ' ', preg_replace('/.*; path=/', '', current(preg_grep('/^Set-Cookie: larder_token=/', $http_response_header)) ?: 'none'), "\n";
}
foreach (['', '%0A'] as $end) {
    file_get_contents($url, false, stream_context_create(['http' => ['header' => 'Cookie: larder_token=' . str_repeat('a', 64) . $end]]));
    echo "a token with \"$end\": ", preg_grep('/^Set-Cookie: larder_token=/', $http_response_header) === [] ? 'kept' : 'replaced', "\n";
}
$metrics = file_get_contents("$url/?metrics&prefix[]=a");
echo implode("\n", preg_grep('/^larder_(up\{store="(volatile|pinned)|prefix)|EOF/', explode("\n", $metrics))), "\n";
ops_php("-d larder.path=$folder -d larder.volatile_size=0", 'P::set("a", 1);');
echo implode("\n", preg_grep('/^larder(_up\{|_prefix|:)|EOF|exit/', explode("\n", ops_larder('stats', '--openmetrics', '--prefix', 'a', '--folder', $folder)))), "\n";
--EXPECT--
/ 200 <!doctype html> /; HttpOnly; SameSite=Strict
/larder 200 <!doctype html> /larder; HttpOnly; SameSite=Strict
/a;b 200 <!doctype html> /; HttpOnly; SameSite=Strict
/a,b?c 200 <!doctype html> /; HttpOnly; SameSite=Strict
/%20x;=/y 200 <!doctype html> /; HttpOnly; SameSite=Strict
a token with "": kept
a token with "%0A": replaced
larder_up{store="pinned"} 1
larder_up{store="volatile"} 0
# EOF
larder_up{store="pinned"} 1
# EOF
larder: there is no store "volatile" here, only pinned
