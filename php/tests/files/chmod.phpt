--TEST--
larder: files: with revalidation at each call, a file or folder that may not be read any more is not given
--EXTENSIONS--
larder
--INI--
larder.file_cache=1
--SKIPIF--
<?php
if (!function_exists('pcntl_fork') || !function_exists('posix_seteuid')) die('skip needs posix and pcntl');
if (posix_geteuid() === 0 && !posix_getpwnam('www-data')) die('skip needs the user www-data');
?>
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$folder = files_folder();
chmod($folder, 0777);
if (posix_geteuid() === 0) posix_seteuid(posix_getpwnam('www-data')['uid']);
mkdir("$folder/in");
file_put_contents("$folder/in/file", 'text');
keep("$folder/in/file");
chmod("$folder/in/file", 0);
same('chmod 0', "$folder/in/file");
chmod("$folder/in/file", 0600);
same('chmod 0600', "$folder/in/file");
keep("$folder/in/file");
chmod("$folder/in", 0);
same('its folder', "$folder/in/file");
chmod("$folder/in", 0700);
same('as before', "$folder/in/file");
var_dump(hit("$folder/in/file"));
if (posix_getuid() === 0) posix_seteuid(0);
--EXPECT--
chmod 0: Permission denied
chmod 0600: "text"
its folder: Permission denied
as before: "text"
bool(true)
