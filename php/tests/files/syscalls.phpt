--TEST--
larder: files: a hit makes one system call, or none where the file is not looked at
--EXTENSIONS--
larder
--SKIPIF--
<?php if (getenv('VALGRIND_OPTS')) die('skip valgrind makes system calls of its own'); if (trim((string) shell_exec('command -v strace')) === '' || !str_contains((string) shell_exec('strace -c true 2>&1'), 'total')) die('skip needs strace'); ?>
--FILE--
<?php
require __DIR__ . '/../include/files.php';
$folder = files_folder();
file_put_contents("$folder/file", str_repeat('x', 1000));
usleep(1100000);
$php = getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY;
foreach (file('/proc/self/maps') as $line) if (preg_match('~(/\S+/larder\.so)$~', trim($line), $m)) $so = $m[1];
foreach ([0, -1, 100000] as $revalidate) {
    file_put_contents("$folder/code.php", '<?php file_get_contents($argv[1]); file_get_contents($argv[1]); file_exists("/larder-begin"); for ($i = 0; $i < 1000; $i++) if (strlen(file_get_contents($argv[1])) !== 1000) die("WRONG"); file_exists("/larder-end");');
    exec("strace -o $folder/trace $php -n -d display_errors=0 -d extension=$so -d larder.file_cache=1 -d larder.file_cache_revalidate=$revalidate $folder/code.php $folder/file", $out);
    $trace = file_get_contents("$folder/trace");
    $trace = substr($trace, strpos($trace, '"/larder-begin"'));
    $trace = substr($trace, 0, strpos($trace, '"/larder-end"'));
    $calls = array_count_values(array_map(fn ($line) => strtok($line, '('), array_slice(explode("\n", $trace), 1, -1)));
    echo "$revalidate: ", implode('', $out), json_encode(array_filter($calls, fn ($n) => $n > 10)), "\n";
}
--EXPECTREGEX--
0: \{"(stat|newfstatat|statx)":1000\}
-1: \[\]
100000: \[\]
