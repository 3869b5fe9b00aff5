--TEST--
larder: fpm: php-fpm -t and -i work, complain of nothing and prepare nothing
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$fpm = new Fpm(['www' => []]);
$run = function (string ...$extra) use ($fpm): array {
    $process = proc_open($fpm->command(...$extra), [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    $text = stream_get_contents($pipes[1]);
    return [proc_close($process), $text];
};

[$code, $text] = $run('-t');
var_dump($code, str_contains($text . $fpm->log('master'), 'test is successful'), str_contains($text, 'arder is'));

[$code, $text] = $run('-i');
var_dump($code);
preg_match('~^Larder.VolatileCache.*\R.*~m', $text, $m);
echo $m[0], "\n", $fpm->said('master-php');
--EXPECT--
int(0)
bool(true)
bool(false)
int(0)
Larder\VolatileCache => off
Why it is off => this process is not a worker of an FPM pool
