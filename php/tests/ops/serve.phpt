--TEST--
larder: ops: the demonstration's page says what one sees, counts, and kills a worker at a click
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/browser.php';
Browser::skip();
$extensions = ini_get('extension_dir');
foreach (['igbinary', 'apcu', 'posix'] as $extension) if (!is_file("$extensions/$extension.so")) die("skip needs $extension");
if (!is_executable('/usr/sbin/nginx') || !glob('/usr/sbin/php-fpm' . PHP_MAJOR_VERSION . '.' . PHP_MINOR_VERSION)) die('skip needs nginx and php-fpm');
if (!is_file(dirname(realpath(__DIR__ . '/../../../ops')) . '/demo/run.php')) die('skip needs the demonstration');
if (PHP_ZTS || !is_file('/var/lib/dpkg/status')) die('skip the demonstration is of Debian and its PHP');
?>
--FILE--
<?php
require __DIR__ . '/../include/browser.php';
$project = dirname(realpath(__DIR__ . '/../../../ops'));
/* The test runner may leave listening sockets open. FPM would take inherited sockets for its own, so close all of them first. */
$close = 'for fd in /proc/$$/fd/*; do fd=${fd##*/}; ((fd < 3 || fd == 255)) || eval "exec $fd>&-"; done; exec "$@"';
$demo = proc_open(['bash', '-c', $close, 'start', 'timeout', '300', 'php', "$project/demo/run.php", '--serve'], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, $project, ['LARDER_SERVE_SECONDS' => '200'] + getenv());
for ($said = ''; ($line = fgets($pipes[1])) !== false && !preg_match('~^(http://\S+)~', $line, $url); $said .= $line);
isset($url[1]) || die("not served:\n$said");
$browser = new Browser(390, 844);
$browser->open($url[1]);
$browser->until("document.querySelector('#ratio')");
$number = fn (string $id) => (float) str_replace(',', '', $browser->value("document.querySelector('#$id').innerText"));
var_dump($number('ratio') > 1, $number('hits') > 0, $number('memory') > 0.1, $number('kills'));
for ($i = 1; $i <= 3; $i++) {
    $browser->value("void (document.querySelector('#killed').textContent = '')");
    $browser->click('#kill');
    $browser->until("document.querySelector('#killed').innerText !== ''");
    echo preg_replace('/\d+ ms/', 'N ms', $browser->value("document.querySelector('#killed').innerText")), ' ', $number('kills'), "\n";
}
/* The server must refuse to kill a process if the request comes from a page of another site, or from no page. */
$code = function (string $header) use ($url) {
    @file_get_contents("$url[1]/kill", false, stream_context_create(['http' => ['method' => 'POST', 'header' => $header, 'ignore_errors' => true]]));
    return strtok(substr($http_response_header[0], 9), ' ');
};
echo $code('Sec-Fetch-Site: cross-site'), ' ', $code('X: y'), "\n";
proc_terminate($demo);
proc_close($demo);
--EXPECT--
bool(true)
bool(true)
bool(true)
float(0)
It is dead; the next request was answered after N ms, and the database was computed no further time. 1
It is dead; the next request was answered after N ms, and the database was computed no further time. 2
It is dead; the next request was answered after N ms, and the database was computed no further time. 3
404 404
