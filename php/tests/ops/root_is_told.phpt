--TEST--
larder: ops: the command line is told when it has just made an empty store while another user has one of that scope
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix') || posix_geteuid() !== 0) die('skip needs root');
if (!posix_getpwnam('www-data')) die('skip needs the user www-data');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder(01777);
$user = posix_getpwnam('www-data');
mkdir("$folder/larder-{$user['uid']}", 0700);
chown("$folder/larder-{$user['uid']}", $user['uid']);
touch("$folder/larder-{$user['uid']}/app-volatile");
chown("$folder/larder-{$user['uid']}/app-volatile", $user['uid']);
$run = fn (string $scope, string $code) => strtr(ops_php("-d error_log= -d larder.path=$folder -d larder.scope=$scope", $code), [$folder => '', "({$user['uid']})" => '(UID)']);
echo $run('app', 'var_dump(V::clear());');
echo "-- only once\n", $run('app', 'var_dump(V::clear());');
echo "-- nobody else has one\n", $run('other', 'var_dump(V::clear());');
--EXPECT--
Larder: the volatile store /larder-0/app-volatile was made just now, for user 0, and is empty; www-data (UID) has one of that larder.scope: to use it, run as that user
bool(true)
-- only once
bool(true)
-- nobody else has one
bool(true)
