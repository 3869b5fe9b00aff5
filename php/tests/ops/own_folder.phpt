--TEST--
larder: ops: a user cannot switch off another user's named stores by making the file or the folder first
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix') || posix_geteuid() !== 0) die('skip needs root');
if (!posix_getpwnam('www-data') || !posix_getpwnam('nobody')) die('skip needs the users www-data and nobody');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder(01777);
$user = posix_getpwnam('www-data');
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
copy($m[1], "$folder/module.so"); /* where www-data can read it */
copy($php, "$folder/php");
chmod("$folder/php", 0755);
$mine = fn (string $code, string $scope = 'app') => ops_as('www-data', fn () => print(shell_exec(
    "cd / && $folder/php -n -d extension=$folder/module.so -d larder.path=$folder -d larder.scope=$scope -d error_log= -r " . escapeshellarg("use Larder\\VolatileCache as V; $code") . ' 2>&1')));
$where = 'echo json_encode(V::set("k", 1)), " ", V::info()->failure_reason, strtr(V::info()->shared_model, ["' . $folder . '" => "", "larder-' . $user['uid'] . '" => "larder-UID"]), "\n";';

echo "-- the file of old, by another user\n";
ops_as('nobody', fn () => touch("$folder/larder-{$user['uid']}-app-volatile"));
echo $mine($where);
printf("%o\n", fileperms("$folder/larder-{$user['uid']}") & 07777);

echo "-- the folder\n";
exec("rm -rf $folder/larder-*");
ops_as('nobody', fn () => mkdir("$folder/larder-{$user['uid']}", 0777));
ops_as('nobody', fn () => symlink('/tmp', "$folder/larder-{$user['uid']}.1"));
echo $mine($where), $mine('echo V::get("k"), "\n";');

echo "-- the other one has gone: the store stays where it is\n";
rmdir("$folder/larder-{$user['uid']}");
echo $mine($where), $mine('echo V::get("k"), "\n";');

echo "-- one of its own that others may write to\n";
exec("rm -rf $folder/larder-*");
mkdir("$folder/larder-{$user['uid']}");
chown("$folder/larder-{$user['uid']}", $user['uid']);
chmod("$folder/larder-{$user['uid']}", 0777);
echo $mine($where);

echo "-- all of them\n";
exec("rm -rf $folder/larder-*");
for ($i = 0; $i < 8; $i++) {
    ops_as('nobody', fn () => mkdir("$folder/larder-{$user['uid']}" . ($i ? ".$i" : '')));
}
echo strtr($mine('echo json_encode(V::set("k", 1)), "\n";'), [$folder => '']);
--EXPECTF--
-- the file of old, by another user
true /larder-UID/app-volatile
700
-- the folder
true /larder-UID.2/app-volatile
1
-- the other one has gone: the store stays where it is
true /larder-UID.2/app-volatile
1
-- one of its own that others may write to
true /larder-UID.1/app-volatile
-- all of them
Larder: the volatile store is off: /larder-%d and 7 more like it belong to others, or others may write to them; remove them, or set larder.path to a folder that only this user may write to
false
