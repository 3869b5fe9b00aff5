--TEST--
larder: ini: a named store of another layout that no process uses is replaced, and the log says so
--EXTENSIONS--
larder
--FILE--
<?php
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
$dir = sys_get_temp_dir() . '/larder-replaced-' . getmypid();
mkdir($dir, 0700);
$php = (getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY) . " -n -d extension=$so -d larder.path=$dir -d log_errors=1 -d error_log=$dir/log";
$run = fn (string $code) => trim((string) shell_exec("$php -r '$code' 2>&1")) . "\n";
$said = function () use ($dir) {
    $text = (string) @file_get_contents("$dir/log");
    @unlink("$dir/log");
    return preg_replace(['/^\[.*?\] /m', '~\S*/larder-\d+/~', '/version \d+, this build has \d+/'], ['', '', 'version N, this build has M'], $text) . "\n";
};

echo $run('var_dump(Larder\Queue::open("mail")->push("lost") !== null, Larder\VolatileCache::set("a", 1));'), $said();
/* The file begins with a magic number of eight bytes; the version of the layout follows. Write an old version. */
$file = fopen(glob("$dir/larder-*/default-queue")[0], 'r+');
fseek($file, 8);
fwrite($file, pack('V', 1));
fclose($file);
echo $run('var_dump(Larder\Queue::open("mail")->pop(), Larder\VolatileCache::get("a"));'), $said();
/* The next process finds the new store, and reports nothing. */
echo $run('var_dump(Larder\Queue::open("mail")->pop(), Larder\VolatileCache::get("a"));'), $said();
array_map('unlink', glob("$dir/larder-*/*")); array_map('rmdir', glob("$dir/larder-*")); rmdir($dir);
?>
--EXPECT--
bool(true)
bool(true)

NULL
int(1)
Larder: the queue store: default-queue: was replaced by an empty store, as no process used it: layout version N, this build has M

NULL
int(1)
