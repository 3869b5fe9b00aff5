--TEST--
larder: ops: the commands of docs/command.md do what they say, also with a million entries while others write
--EXTENSIONS--
larder
--SKIPIF--
<?php if (!extension_loaded('posix')) die('skip needs posix'); if (!is_file(dirname(realpath(__DIR__ . '/../../../ops')) . '/docs/command.md')) die('skip needs the documents'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$text = file_get_contents(dirname(realpath(__DIR__ . '/../../../ops')) . '/docs/command.md');
ops_php("-d larder.path=$folder -d larder.scope=app", 'for ($i = 0; $i < 9; $i++) V::set("user:$i", $i); V::set("other", 1);');
preg_match_all('/^larder --scope app ([^#\n]*)/m', $text, $commands);
foreach ($commands[1] as $command) {
    $words = preg_split('/ +/', trim($command));
    if ($words[0] === 'watch') array_push($words, '-i', '0.01');
    echo "$words[0]: ", str_contains($out = ops_larder('--folder', $folder, '--scope', 'app', ...$words), 'exit code') ? $out : (trim($out) !== '' || $words[0] === 'del' ? "done\n" : "nothing said\n");
}
echo "-- a million\n";
ops_php("-d larder.path=$folder -d larder.scope=many -d larder.volatile_size=256M", 'for ($i = 0; $i < 1000000; $i++) V::set("k:$i", $i);');
$in = ['--folder', $folder, '--scope', 'many'];
/* A writer counts its writes that waited for a lock. Such a wait is a voluntary context switch; a wait for a processor is not. */
preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $m);
$writer = proc_open([getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, '-n', '-d', "extension=$m[1]", '-d', "larder.path=$folder", '-d', 'larder.scope=many', '-r', '
    Larder\VolatileCache::set("up", 1); echo "up\n"; stream_set_blocking(STDIN, false); $waited = 0; $i = 0;
    while (fgets(STDIN) === false) { for ($k = 0; $k < 100; $k++, $i++) { $before = getrusage()["ru_nvcsw"]; Larder\VolatileCache::set("w:" . $i % 1000, $i); $waited += getrusage()["ru_nvcsw"] > $before; } }
    echo json_encode(["wrote" => $i > 0, "waited" => $waited > $i / 1000]), "\n";'], [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
fgets($pipes[1]);
echo count(explode("\n", trim(ops_larder('keys', 'k:99999', ...$in)))), ' ', count(json_decode(ops_larder('top', '--json', '-n', '7', '--prefix', 'k:', ...$in))), "\n";
fwrite($pipes[0], "\n");
echo stream_get_contents($pipes[1]);
proc_close($writer);
--EXPECT--
stats: done
top: done
keys: done
keys: done
get: done
del: done
clear: done
watch: done
fsck: done
-- a million
11 7
{"wrote":true,"waited":false}
