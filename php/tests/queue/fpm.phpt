--TEST--
larder: queue: FPM pushes, the command line handles; messages outlive both; a killed worker gives back
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(...(posix_geteuid() === 0 ? ['www-data'] : [])); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$fpm = new Fpm(['www' => ['php_admin_value[larder.path]' => '$FOLDER', 'php_admin_value[larder.scope]' => 'jobs', 'pm.max_children' => 2], 'own' => []]);
$stores = $fpm->folder . '/log'; // all users may write there
$conf = $fpm->folder . '/fpm.conf';
file_put_contents($conf, strtr(file_get_contents($conf), ['$FOLDER' => $stores]));
copy(fpm_module('larder.so'), "$stores/module.so");
copy(getenv('TEST_PHP_EXECUTABLE') ?: PHP_BINARY, "$stores/php");
chmod("$stores/php", 0755);

/* Runs code on the command line, as the user of the pool. */
$cli = function (string $code) use ($stores): void {
    if (($child = pcntl_fork()) === 0) {
        if (posix_geteuid() === 0) {
            $user = posix_getpwnam('www-data');
            posix_setgid($user['gid']);
            posix_setuid($user['uid']);
        }
        pcntl_exec("$stores/php", ['-n', '-d', "extension=$stores/module.so", '-d', "larder.path=$stores", '-d', 'larder.scope=jobs', '-r', "use Larder\\Queue; \$q = Queue::open('mail'); $code"]);
        posix_kill(getmypid(), SIGKILL);
    }
    pcntl_waitpid($child, $status);
};
$push = fn (string $text) => '$q = Larder\Queue::open("mail"); echo json_encode($q->push(["to" => "' . $text . '", "text" => str_repeat("x", 50000)]) !== null), " ";';

echo "-- FPM pushes\n";
$fpm->start();
for ($i = 0; $i < 4; $i++) {
    echo $fpm->run('www', $push("user $i"));
}
echo "\n-- the command line handles one, and ends with another one\n";
$cli('$m = $q->pop(); echo $m->body["to"], " ", strlen($m->body["text"]), "\n"; $m->ack(); echo $q->pop()->body["to"], "\n"; $kept = $q->pop();');

echo "-- a worker is killed while it handles\n";
$fpm->run('www', '$m = Larder\Queue::open("mail")->pop(); posix_kill(getmypid(), 9);');
echo $fpm->run('www', '$m = Larder\Queue::open("mail")->pop(); echo $m->body["to"], " ", $m->attempts, "\n";'); // the end of the request makes the message ready again

echo "-- FPM stops and starts\n";
$fpm->stop();
$cli('$i = $q->info(); echo $i->ready, " ready, ", $i->reserved, " reserved\n";');
$fpm->start();
echo $fpm->run('www', '$q = Larder\Queue::open("mail"); while ($m = $q->pop()) { echo $m->body["to"], " "; $m->ack(); }'), "\n";
echo $fpm->run('www', 'echo json_encode([Larder\Queue::open("mail")->info()->acked, Larder\Queue::names()]), "\n";');

echo "-- a pool's own queues are its own\n";
echo $fpm->run('own', 'echo json_encode(Larder\Queue::names()); Larder\Queue::open("x")->push(1);');
echo $fpm->run('own', 'echo json_encode(Larder\Queue::open("x")->pop()->body), "\n";');
var_dump(str_contains($fpm->run('www', 'phpinfo(INFO_MODULES);'), 'Queue mail'));
--EXPECT--
-- FPM pushes
true true true true 
-- the command line handles one, and ends with another one
user 0 50000
user 1
-- a worker is killed while it handles
user 1 4
-- FPM stops and starts
3 ready, 0 reserved
user 1 user 2 user 3 
[4,["mail"]]
-- a pool's own queues are its own
[]1
bool(true)
