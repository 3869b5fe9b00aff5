--TEST--
larder: ops: the command finds named stores where PHP lacks the extension posix, and says which option needs it
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$without = '-d disable_functions=posix_geteuid,posix_getpwuid,posix_getpwnam';
ops_php("-d larder.path=$folder -d larder.scope=app", 'V::set("key", 1);');
$run = function (string ...$words) use ($without): string {
    $command = ops_command(...$words);
    array_splice($command, 2, 0, explode(' ', $without));
    return (string) shell_exec(implode(' ', array_map('escapeshellarg', $command)) . ' 2>&1');
};
echo $run('keys', '--scope', 'app', '--folder', $folder), str_replace($folder, 'FOLDER', preg_replace('/for user \w+/', 'for user N', $run('keys', '--scope', 'none', '--folder', $folder)));
echo $run('keys', '--scope', 'app', '--user', 'nobody', '--folder', $folder);
?>
--EXPECT--
key
larder: no store of scope "none" in FOLDER for user N: no program of this user has used one
larder: --user needs PHP's extension posix
