--TEST--
larder: scope: larder.path is shared by FPM and the command line of one user, and outlives FPM
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(...(posix_geteuid() === 0 ? ['www-data'] : [])); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$fpm = new Fpm(['www' => ['php_admin_value[larder.path]' => '$FOLDER', 'php_admin_value[larder.scope]' => 'blue']]);
$stores = $fpm->folder . '/log'; // all users may write there
$conf = $fpm->folder . '/fpm.conf';
file_put_contents($conf, strtr(file_get_contents($conf), ['$FOLDER' => $stores]));
/* The user of the pool can read these copies, but perhaps not the originals. */
copy(fpm_module('larder.so'), "$stores/module.so");
copy(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, "$stores/php");
chmod("$stores/php", 0755);

/* Runs code on the command line, as the user of the pool. */
$cli = function (string $code, string $scope = 'blue') use ($stores): void {
    if (($child = pcntl_fork()) === 0) {
        if (posix_geteuid() === 0) {
            $user = posix_getpwnam('www-data');
            posix_setgid($user['gid']);
            posix_setuid($user['uid']);
        }
        pcntl_exec("$stores/php", ['-n', '-d', "extension=$stores/module.so", '-d', "larder.path=$stores", '-d', "larder.scope=$scope", '-r', "use Larder\\VolatileCache as V; use Larder\\PinnedCache as P; $code"]);
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($child, $status);
};

echo "-- the command line writes, FPM reads\n";
$cli('var_dump(V::set("from cli", ["v" => [1, 2]]), P::set("from cli", "p"));');
$fpm->start();
echo $fpm->run('www', 'echo json_encode([V::get("from cli"), P::get("from cli")]), "\n";');

echo "-- FPM writes, the command line reads\n";
echo $fpm->run('www', 'var_dump(V::set("from fpm", str_repeat("f", 300)), P::set("from fpm", [true]));');
$cli('echo strlen(V::get("from fpm")), json_encode(P::get("from fpm")), " ", V::increment("count"), "\n";');
echo $fpm->run('www', 'echo V::increment("count"), " ", basename(V::info()->shared_model), "\n";');

echo "-- FPM stops\n";
$old = $fpm->pid;
$fpm->stop();
var_dump(fpm_lives($old));
$cli('echo strlen(V::get("from fpm")), json_encode(P::get("from fpm")), " ", V::increment("count"), "\n";');

echo "-- FPM starts again\n";
$fpm->start();
var_dump($fpm->pid !== $old);
echo $fpm->run('www', 'echo strlen(V::get("from fpm")), json_encode([P::get("from fpm"), V::get("from cli"), P::get("from cli")]), " ", V::increment("count"), "\n";');

echo "-- another scope is another store\n";
$cli('var_dump(V::get("from fpm"), P::get("from cli"));', 'red');
var_dump($fpm->said('www'));
--EXPECTF--
-- the command line writes, FPM reads
bool(true)
bool(true)
[{"v":[1,2]},"p"]
-- FPM writes, the command line reads
bool(true)
bool(true)
300[true] 1
2 blue-volatile
-- FPM stops
bool(false)
300[true] 3
-- FPM starts again
bool(true)
300[[true],{"v":[1,2]},"p"] 4
-- another scope is another store
NULL
NULL
string(0) ""
