--TEST--
larder: files: with revalidation at each call a file that changed in any way is what a plain read gives
--EXTENSIONS--
larder
--INI--
larder.file_cache=1
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$folder = files_folder();
$file = "$folder/file";
file_put_contents($file, 'first');
same('just written', $file);
keep($file);
same('kept', $file);

echo "-- changes\n";
file_put_contents($file, 'other');
same('rewritten, same size', $file);
keep($file);
/* Again and again within one tick of the kernel's clock: same size, and perhaps the same time. */
$wrong = 0;
for ($i = 0; $i < 3000; $i++) {
    file_put_contents($file, sprintf('%05d', $i));
    if (file_get_contents($file) !== sprintf('%05d', $i)) $wrong++;
    if ($i % 500 === 0) keep($file);
}
var_dump($wrong);
keep($file);
$was = stat($file);
file_put_contents($file, 'AAAAA');
touch($file, $was['mtime'], $was['atime']);
same('rewritten, its mtime put back', $file);
keep($file);
ftruncate($f = fopen($file, 'r+'), 3);
same('truncated', $file);
keep($file);
ftruncate($f, 0);
same('empty', $file);
fwrite($f, 'xyz');
fclose($f);
same('written again', $file);
keep($file);
file_put_contents("$folder/new", 'renamed');
rename("$folder/new", $file);
same('renamed over', $file);
keep($file);
file_put_contents("$folder/old", 'older', 0);
usleep(50000);
keep("$folder/old");
rename("$folder/old", $file);
same('an old file renamed over', $file);
keep($file);
unlink($file);
same('missing', $file);
mkdir($file);
same('a directory', $file);
rmdir($file);
posix_mkfifo($file, 0600);
if (($pid = pcntl_fork()) === 0) {
    file_put_contents($file, 'of a pipe');
    posix_kill(getmypid(), SIGKILL);
}
echo file_get_contents($file), "\n"; /* and nothing else has opened it */
pcntl_waitpid($pid, $status);
unlink($file);

echo "-- links\n";
file_put_contents("$folder/one", 'of one');
file_put_contents("$folder/two", 'of two');
symlink('one', $file);
keep($file);
same('a symlink', $file);
unlink($file);
symlink('two', $file);
same('switched', $file);
keep($file);
unlink("$folder/two");
same('to nothing', $file);
unlink($file);
mkdir("$folder/a");
mkdir("$folder/b");
file_put_contents("$folder/a/x", 'in a');
file_put_contents("$folder/b/x", 'in b');
symlink('a', "$folder/dir");
keep("$folder/dir/x");
same('a linked folder', "$folder/dir/x");
symlink('b', "$folder/dir2");
rename("$folder/dir2", "$folder/dir");
same('switched', "$folder/dir/x");
symlink('/usr/bin', "$folder/elsewhere");
file_put_contents("$folder/here", 'here');
same('..', "$folder/elsewhere/../here");
link("$folder/here", "$folder/hard");
same('a hard link', "$folder/hard");

echo "-- a growing log\n";
$log = "$folder/log";
$wrong = 0;
for ($i = 1; $i <= 300; $i++) {
    file_put_contents($log, str_repeat("line $i\n", 50), FILE_APPEND);
    if (file_get_contents($log) !== plain($log)[0]) $wrong++;
    if ($i % 100 === 0) keep($log);
}
var_dump($wrong);
--SKIPIF--
<?php if (!function_exists('posix_mkfifo') || !function_exists('pcntl_fork')) die('skip needs posix and pcntl'); ?>
--EXPECT--
just written: "first"
kept: "first"
-- changes
rewritten, same size: "other"
int(0)
rewritten, its mtime put back: "AAAAA"
truncated: "AAA"
empty: ""
written again: "xyz"
renamed over: "renamed"
an old file renamed over: "older"
missing: No such file or directory
a directory: ""
of a pipe
-- links
a symlink: "of one"
switched: "of two"
to nothing: No such file or directory
a linked folder: "in a"
switched: "in b"
..: No such file or directory
a hard link: "here"
-- a growing log
int(0)
