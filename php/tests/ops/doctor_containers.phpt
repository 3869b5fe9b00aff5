--TEST--
larder: ops: the doctor finds that a pool of the same scope has another /dev/shm, or another PID namespace
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip('www-data');
if (trim(shell_exec('unshare -m -p -f sh -c "mount -t tmpfs none /dev/shm && mount -t proc none /proc && echo ok" 2>/dev/null') ?? '') !== 'ok') die('skip needs the right to mount');
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/ops.php';
$scope = 'doctor' . getmypid();
$fpm = fpm(['web' => ['php_admin_value[larder.scope]' => $scope]]);
$program = $fpm->folder . '/www/larder.php';
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . ' ' . escapeshellarg($program));
$command = ops_command();
array_pop($command);
array_push($command, '-d', "larder.scope=$scope", $program, 'doctor', '--json', '--fpm', $fpm->socket('web'), '--fpm-file', $program);
$command = implode(' ', array_map(escapeshellarg(...), $command));
foreach (['', 'unshare -m sh -c \'mount -t tmpfs none /dev/shm && exec "$@"\' -', 'unshare -p -f sh -c \'exec "$@"\' -', 'unshare -m -p -f sh -c \'mount -t proc none /proc && exec "$@"\' -'] as $before) {
    $lines = [];
    exec("$before $command 2>/dev/null", $lines);
    foreach (json_decode(implode("\n", $lines), true)['findings'] as $finding) {
        if ($finding['check'] === 'sharing') {
            echo $finding['level'], ' ', preg_replace(['~ /\S+/(20-larder|php)\.ini~', "~$scope~"], [' INI', 'SCOPE'], "{$finding['where']}: {$finding['line']}"), "\n";
        }
    }
}
exec('rm -f ' . escapeshellarg('/dev/shm/larder-' . posix_getpwnam('www-data')['uid']) . "/$scope-*");
?>
--EXPECT--
note : 
wrong write into INI: larder.path = /run/larder
wrong write instead of -d larder.scope=SCOPE: -d larder.scope=SCOPE-cli
wrong write instead of -d larder.scope=SCOPE: -d larder.scope=SCOPE-cli
