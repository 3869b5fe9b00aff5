--TEST--
larder: ops: root looks at another user's stores as that user; others are refused; clear names the store and its user, and other users with stores
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (!extension_loaded('pcntl') || !extension_loaded('posix') || posix_geteuid() !== 0) die('skip needs root');
if (!posix_getpwnam('www-data')) die('skip needs the user www-data');
require __DIR__ . '/../include/ops.php';
if (ops_as('www-data', function () { echo (int) is_executable(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY); }) !== '1') die('skip other users may not run this PHP');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder(01777);
$clean = fn (string $text) => strtr($text, [$folder => 'FOLDER', 'larder-' . posix_getpwnam('www-data')['uid'] => 'larder-UID', 'user ' . posix_getpwnam('www-data')['uid'] => 'user UID']);
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
copy($m[1], "$folder/module.so");
copy(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, "$folder/php");
chmod("$folder/php", 0755);
ops_as('www-data', fn () => print(shell_exec("cd / && $folder/php -n -d extension=$folder/module.so -d larder.path=$folder -d larder.scope=app -r 'Larder\\VolatileCache::set(\"theirs\", 1);'")));
$in = ['--folder', $folder, '--scope', 'app'];
$file = glob("$folder/larder-*/app-volatile")[0];
$before = array_map(null, glob("$folder/larder-*/*"));

echo $clean(ops_larder('keys', ...$in)), ops_larder('keys', '--user', 'www-data', ...$in), ops_larder('keys', '--user', (string) posix_getpwnam('www-data')['uid'], ...$in);
echo "-- as root, the file itself\n", $clean(ops_larder('keys', '--path', $file));
echo "-- as somebody else\n";
echo $clean(ops_as('nobody', fn () => print(ops_larder('keys', '--user', 'www-data', ...$in)))), $clean(ops_as('nobody', fn () => print(ops_larder('keys', '--path', $file))));
$socket = stream_socket_server("unix://$folder/pool.sock");
chmod("$folder/pool.sock", 0600);
echo $clean(ops_as('nobody', fn () => print(ops_larder('ping', '--fpm', "$folder/pool.sock"))));
var_dump($before === glob("$folder/larder-*/*"));
echo "-- who has no store of that scope is told who has stores\n";
$as = fn (string $user, string ...$words) => $clean(ops_as($user, fn () => print(ops_larder(...$words))));
echo $as('nobody', 'clear', ...$in), $as('nobody', 'get', 'a key', '--folder', $folder, '--scope', 'none');
echo "-- whose store was cleared\n";
ops_php("-d larder.path=$folder -d larder.scope=app -d error_log=$folder/log", 'V::set("mine", 1);');
echo $clean(ops_larder('clear', ...$in)), $clean(ops_larder('clear', '--prefix', 'a', ...$in)), $clean(strstr(ops_larder('stats', ...$in), 'larder: '));
echo $as('www-data', 'clear', '--prefix', 'none:', ...$in), $as('www-data', 'clear', ...$in), $clean(ops_larder('clear', '--user', 'www-data', ...$in));
echo $clean(ops_larder('clear', '--path', "$folder/larder-0/app-volatile")), strtr($clean(ops_larder('clear', '--json', ...$in)), ["\n" => '']), "\n";
foreach ($before as $path) {
    echo basename($path), ' ', posix_getpwuid(fileowner($path))['name'], "\n";
}
echo "-- folders that are not for stores name no user: that of the polyfill, and one that another user made\n";
exec("rm -rf $folder/larder-*");
foreach (['larder-php-' . posix_getpwnam('www-data')['uid'], 'larder-of-mine', 'larder-65533', 'larder-' . posix_getpwnam('www-data')['uid'] . ".9\n"] as $name) {
    ops_as('www-data', fn () => mkdir("$folder/$name", 0700));
    touch("$folder/$name/app-volatile");
}
echo $as('nobody', 'keys', ...$in), $clean(ops_larder('keys', ...$in));
ops_as('www-data', fn () => mkdir("$folder/larder-" . posix_geteuid() . '.7', 0700));
echo $as('nobody', 'keys', ...$in);
--EXPECTF--
larder: no store of scope "app" in FOLDER for user root; www-data has stores of that scope; to reach them, run: larder --user www-data keys --folder FOLDER --scope app
exit code 1
theirs
theirs
-- as root, the file itself
larder: FOLDER/larder-UID/app-volatile belongs to user www-data: use --user
exit code 1
-- as somebody else
larder: only root may look at the stores of another user; run: sudo larder --user www-data ...
exit code 1
larder: FOLDER/larder-UID/app-volatile: user nobody may not look into that folder
exit code 1
larder: FOLDER/pool.sock: Permission denied; this user may not connect to the pool's socket: use sudo
exit code 1
bool(true)
-- who has no store of that scope is told who has stores
larder: no store of scope "app" in FOLDER for user nobody; www-data has stores in FOLDER, whose scopes only their user and root can see; to reach them, run: sudo larder --user www-data clear --folder FOLDER --scope app
exit code 1
larder: no store of scope "none" in FOLDER for user nobody; www-data has stores in FOLDER, whose scopes only their user and root can see; to reach them, run: sudo larder --user www-data get 'a key' --folder FOLDER --scope none
exit code 1
-- whose store was cleared
1 entry cleared in the volatile store FOLDER/larder-0/app-volatile of user root
larder: www-data has stores of that scope; to reach them, run: larder --user www-data clear --folder FOLDER --scope app
0 entries cleared in the volatile store FOLDER/larder-0/app-volatile of user root
larder: www-data has stores of that scope; to reach them, run: larder --user www-data clear --prefix a --folder FOLDER --scope app
larder: www-data has stores of that scope; to reach them, run: larder --user www-data stats --folder FOLDER --scope app
0 entries cleared in the volatile store FOLDER/larder-UID/app-volatile of user www-data
larder: root has stores in FOLDER, whose scopes only their user and root can see; to reach them, run: sudo larder --user root clear --prefix none: --folder FOLDER --scope app
1 entry cleared in the volatile store FOLDER/larder-UID/app-volatile of user www-data
0 entries cleared in the volatile store FOLDER/larder-UID/app-volatile of user www-data
0 entries cleared in the volatile store FOLDER/larder-0/app-volatile of user root
{    "cleared": 0,    "store": "volatile",    "path": "FOLDER/larder-0/app-volatile",    "user": "root",    "pool": ""}
app-volatile www-data
app-volatile.lock www-data
-- folders that are not for stores name no user: that of the polyfill, and one that another user made
larder: no store of scope "app" in FOLDER for user nobody: no program of this user has used one
exit code 1
larder: no store of scope "app" in FOLDER for user root: no program of this user has used one
exit code 1
larder: no store of scope "app" in FOLDER for user nobody; www-data has stores in FOLDER, whose scopes only their user and root can see; to reach them, run: sudo larder --user www-data keys --folder FOLDER --scope app
exit code 1
