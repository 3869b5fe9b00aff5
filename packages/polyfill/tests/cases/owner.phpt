--TEST--
polyfill: an owner is alive even if no file can be opened to look
--FILE--
<?php
$program = <<<'PHP'
    require getenv('LARDER_PROJECT') . '/packages/polyfill/autoload.php';
    use Larder\Polyfill\{Owner, Place};

    array_map(class_exists(...), [Owner::class, Place::class, Larder\Polyfill\Settings::class]); // load the classes now, because later PHP cannot open their files

    [$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
    if (($pid = pcntl_fork()) === 0) {
        fwrite($there, Owner::own() . "\n");
        fgets($there); // lives until it is killed
        exit;
    }
    $name = trim(fgets($here));
    $files = [];
    while (($file = @fopen('/dev/null', 'r')) !== false) {
        $files[] = $file;
    }
    echo count($files) > 10 ? 'full' : 'not full', "\n";
    var_dump(Owner::isAlive($name));
    $files = [];
    var_dump(Owner::isAlive($name));
    posix_kill($pid, SIGKILL);
    pcntl_waitpid($pid, $status);
    var_dump(Owner::isAlive($name), is_file(Place::folder() . "/owner-$name"), Owner::isAlive($name));
    PHP;
$posix = is_file(ini_get('extension_dir') . '/posix.so') ? ['-d', 'extension=posix'] : [];
$command = [PHP_BINARY, '-n', ...$posix, '-r', $program];
passthru('ulimit -n 64; exec ' . implode(' ', array_map(escapeshellarg(...), $command)));
?>
--EXPECT--
full
bool(true)
bool(true)
bool(false)
bool(false)
bool(false)
