--TEST--
polyfill: requests of a web server and a worker share a store; a program of the command line has its own, which leaves nothing; larder.polyfill_private; a folder of others is not used
--FILE--
<?php
$folder = sys_get_temp_dir() . '/larder-shared-' . getmypid();
mkdir($folder, 0700);
file_put_contents("$folder/push.php", '<?php echo Larder\VolatileCache::increment("requests"), " ", Larder\Queue::open("mail")->push(["to" => $_GET["to"]]), "\n";');
$php = fn(string ...$arguments) => [PHP_BINARY, '-n', '-d', 'display_errors=1', '-d', 'auto_prepend_file=' . getenv('LARDER_PROJECT') . '/packages/polyfill/autoload.php', ...$arguments];
$run = function (array $environment, string ...$arguments) use ($folder, $php): string {
    $process = proc_open($php(...$arguments), [1 => ['pipe', 'w'], 2 => ['redirect', 1]], $pipes, $folder, ['TMPDIR' => $folder] + $environment + getenv());
    return stream_get_contents($pipes[1]);
};
$look = fn(string ...$given) => ['-r', 'require ' . var_export(getenv('LARDER_PROJECT') . '/packages/polyfill/autoload.php', true) . '; use Larder\{VolatileCache as V, Queue}; ' . implode(' ', $given)];

$request = <<<'PHP'
    $m = Queue::open("mail")->pop(60); echo $m->body["to"], " ", V::get("requests"), "\n"; $m->ack();
    PHP;
foreach (['larder.scope' => ['-d', 'larder.scope=shop'], 'larder.path' => ['-d', "larder.path=$folder"], 'LARDER_SCOPE' => []] as $how => $setting) {
    $environment = $how === 'LARDER_SCOPE' ? ['LARDER_SCOPE' => 'other'] : [];
    $server = proc_open($php(...$setting, ...['-S', '127.0.0.1:0', '-t', $folder]), [1 => ['file', '/dev/null', 'w'], 2 => ['pipe', 'w']], $pipes, $folder, ['TMPDIR' => $folder] + $environment + getenv());
    while (($line = fgets($pipes[2])) !== false && !preg_match('~\((http://\S+)\) started~', $line, $address));
    foreach (['anna', 'otto'] as $to) {
        echo file_get_contents("$address[1]/push.php?to=$to");
    }
    echo "$how: ", $run($environment, ...$setting, ...$look($request, $request));
    proc_terminate($server);
}
echo "the next worker:\n", $run([], '-d', 'larder.scope=shop', ...$look('echo V::get("requests"), " ", Queue::open("mail")->info()->acked, " ", basename(V::info()->shared_model), "\n";'));

echo "alone:\n", $run([], ...$look('echo V::increment("requests"), " ", V::info()->shared_model, "\n";')), $run([], ...$look('echo V::increment("requests"), "\n";'));
var_dump(glob("$folder/larder-php-*/of-*"));
$private = 'V::set("a", 1); if (pcntl_fork() === 0) { V::set("a", 2); exit; } pcntl_wait($status); echo V::get("a"), " ", V::info()->shared_model, "\n";';
echo $run([], '-d', 'larder.polyfill_private=1', ...$look($private));

echo $run(['LARDER_SCOPE' => '../x'], ...$look('echo json_encode(V::set("a", 1)), " ", V::info()->failure_reason, "\n";'));

/* Let other users enter the folder. Processes must then refuse to share stores in this folder. */
$own = glob("$folder/larder-php-*")[0];
chmod($own, 0755);
echo $run([], '-d', 'log_errors=1', '-d', 'larder.scope=shop', ...$look('echo json_encode(V::get("requests")), " ", V::info()->shared_model, "\n";'));
array_map('unlink', [...glob("$own/*"), ...glob("$folder/*.php")]);
rmdir($own);
rmdir($folder);
--EXPECTF--
1 1
2 2
larder.scope: anna 2
otto 2
1 1
2 2
larder.path: anna 2
otto 2
1 1
2 2
LARDER_SCOPE: anna 2
otto 2
the next worker:
2 2 shop-volatile.v1
alone:
1 anonymous
1
array(0) {
}
1 process
false larder.scope = "../x": must be at most 64 letters, digits, '_', '-' and '.', no '.' first
Larder: the folder %s/larder-php-%d belongs to another user, or others may enter it. So this process shares no stores
null process
