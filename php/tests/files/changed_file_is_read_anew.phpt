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
/* Each case has its own file: a file is not stored until its last change is at least a second old. */
$files = [];
foreach (['rewritten', 'mtime', 'cut', 'renamed', 'old', 'over', 'again'] as $name)
    file_put_contents($files[$name] = "$folder/$name", 'first');
file_put_contents($files['old'], 'older');
foreach ($files as $path) keep($path);
file_put_contents($files['rewritten'], 'other');
same('rewritten, same size', $files['rewritten']);
/* Change a file many times within one tick of the kernel's clock. The file keeps its size, and perhaps its time. */
$wrong = 0;
for ($i = 0; $i < 3000; $i++) {
    file_put_contents($files['again'], sprintf('%05d', $i));
    if (file_get_contents($files['again']) !== sprintf('%05d', $i)) $wrong++;
    if ($i === 1500) keep($files['again']);
}
var_dump($wrong);
$was = stat($files['mtime']);
file_put_contents($files['mtime'], 'AAAAA');
touch($files['mtime'], $was['mtime'], $was['atime']);
same('rewritten, its mtime put back', $files['mtime']);
ftruncate($f = fopen($files['cut'], 'r+'), 3);
same('truncated', $files['cut']);
keep($files['cut']);
ftruncate($f, 0);
same('empty', $files['cut']);
fwrite($f, 'xyz');
fclose($f);
same('written again', $files['cut']);
file_put_contents("$folder/new", 'renamed');
rename("$folder/new", $files['renamed']);
same('renamed over', $files['renamed']);
rename($files['old'], $files['over']);
same('an old file renamed over', $files['over']);
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
echo file_get_contents($file), "\n"; /* the writer waits until this process opens the pipe */
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
/* PHP's own functions use the old target until realpath_cache_ttl is over. The cache must use the new one. */
exec('ln -sfn a ' . escapeshellarg("$folder/dir"));
echo 'switched by another process: ', file_get_contents("$folder/dir/x"), "\n";
/* PHP's own functions still use the old target. The file of the new target is new, so the cache has no copy. */
file_put_contents("$folder/b/x", 'anew in b');
clearstatcache(true);
fclose(fopen("$folder/dir/x", 'r'));
exec('ln -sfn b ' . escapeshellarg("$folder/dir"));
echo 'switched to a new file: ', file_get_contents("$folder/dir/x"), "\n";
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
    if ($i === 150) keep($log);
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
truncated: "fir"
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
switched by another process: in a
switched to a new file: anew in b
..: No such file or directory
a hard link: "here"
-- a growing log
int(0)
