--TEST--
larder: files: on a file system whose times stand still for milliseconds, a file that is rewritten again and again is never out of date
--EXTENSIONS--
larder
--SKIPIF--
<?php if (getenv('VALGRIND_OPTS')) die('skip valgrind cannot run mount'); if (trim((string) shell_exec('unshare -m sh -c "mount -t ramfs ramfs /mnt && echo yes" 2>/dev/null')) !== 'yes') die('skip cannot mount a ramfs'); ?>
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$folder = files_folder();
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
mkdir("$folder/ram");
file_put_contents("$folder/code.php", <<<'PHP'
<?php
require $argv[2];
$file = "$argv[1]/file";
$wrong = 0;
for ($i = 0; $i < 5000; $i++) {
    file_put_contents($file, sprintf('%05d', $i));
    if (file_get_contents($file) !== sprintf('%05d', $i)) $wrong++;
    if ($i % 2500 === 0) keep($file);
}
for ($i = 0; $i < 1000; $i++) { /* replaces the file by another file of the same size */
    file_put_contents("$file.new", sprintf('%05d', $i));
    rename("$file.new", $file);
    if (file_get_contents($file) !== sprintf('%05d', $i)) $wrong++;
}
keep($file);
var_dump($wrong, trim(shell_exec('stat -f -c %T ' . escapeshellarg($file))));
PHP);
passthru('unshare -m sh -c ' . escapeshellarg("mount -t ramfs ramfs $folder/ram && $php -n -d extension=$so -d larder.file_cache=1 $folder/code.php $folder/ram " . escapeshellarg(__DIR__ . '/../include/files.php')));
--EXPECT--
int(0)
string(5) "ramfs"
