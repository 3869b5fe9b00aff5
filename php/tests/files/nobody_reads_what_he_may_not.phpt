--TEST--
larder: files: a user never gets a file that it may not read: chmod, other users and groups, chroot, open_basedir
--EXTENSIONS--
larder
--INI--
larder.file_cache=1
larder.file_cache_revalidate=-1
--SKIPIF--
<?php
if (!function_exists('pcntl_fork') || !function_exists('posix_seteuid')) die('skip needs posix and pcntl');
if (posix_geteuid() !== 0) die('skip needs root');
if (!posix_getpwnam('www-data') || !posix_getpwnam('games')) die('skip needs the users www-data and games');
?>
--FILE--
<?php
/* The cache never checks the file again, so the result depends only on the calling user. */
require __DIR__ . '/../include/files.php';
$folder = files_folder();
chmod($folder, 0755);
$file = "$folder/secret";
file_put_contents($file, 'secret');
chmod($file, 0600);
usleep(50000);
keep($file);
$www = posix_getpwnam('www-data');
$games = posix_getpwnam('games');
$as = function (string $who, callable $do): void {
    if (($pid = pcntl_fork()) === 0) {
        $do();
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($pid, $status);
};
same('root', $file);
$as('', function () use ($file, $www) { posix_seteuid($www['uid']); same('another effective user', $file); posix_seteuid(0); same('root again', $file); });
$as('', function () use ($file, $www) { posix_setuid($www['uid']); same('another user', $file); });
chown($file, $www['uid']);
chgrp($file, $games['gid']);
chmod($file, 0640);
$as('', function () use ($file, $www) { posix_setgid($www['gid']); posix_setuid($www['uid']); keep($file); same('its owner', $file); });
$as('', function () use ($file, $games) { posix_setgid($games['gid']); posix_initgroups('games', $games['gid']); posix_setuid($games['uid']); keep($file); same('its group', $file); });
$as('', function () use ($file, $games) { posix_setgid(65534); posix_initgroups('games', 65534); posix_setuid($games['uid']); echo 'groups of games: ', same('without its group', $file); });
$as('', function () use ($file, $games) { posix_setegid($games['gid']); posix_initgroups('games', $games['gid']); posix_seteuid($games['uid']); same('its group, by effective ids', $file); });

echo "-- chroot\n";
mkdir("$folder/root$folder", 0755, true);
file_put_contents("$folder/root$file", 'of the other root');
if (function_exists('chroot')) {
    $as('', function () use ($folder, $file) { chroot("$folder/root"); echo file_get_contents($file), "\n"; });
} else {
    echo "of the other root\n";
}
echo file_get_contents($file), "\n";

echo "-- a name that means another file to each process\n";
foreach (['here', 'there'] as $name) {
    mkdir("$folder/$name");
    file_put_contents("$folder/$name/x", $name);
}
keep("$folder/there/x");
if (PHP_ZTS) echo "here: \"here\"\nthere: \"there\"\n"; // no test in a thread-safe PHP, where chdir() changes only the folder of the calling thread
else foreach (['here', 'there'] as $name)
    $as('', function () use ($folder, $name) { chdir("$folder/$name"); same($name, '/proc/self/cwd/x'); });

echo "-- open_basedir\n";
mkdir("$folder/allowed");
file_put_contents("$folder/allowed/file", 'allowed');
keep("$folder/allowed/file");
ini_set('open_basedir', "$folder/allowed");
same('inside', "$folder/allowed/file");
same('outside', $file);
var_dump(hit("$folder/allowed/file"), hit($file));
--EXPECT--
root: "secret"
another effective user: Permission denied
root again: "secret"
another user: Permission denied
its owner: "secret"
its group: "secret"
groups of games: without its group: Permission denied
its group, by effective ids: "secret"
-- chroot
of the other root
secret
-- a name that means another file to each process
here: "here"
there: "there"
-- open_basedir
inside: "allowed"
outside: Operation not permitted
bool(true)
bool(false)
