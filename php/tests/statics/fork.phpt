--TEST--
larder: statics: a fork in a request, and the interval between publications
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/statics.php'; statics_skip(); ?>
--INI--
larder.statics=1
larder.statics_interval=20
--FILE--
<?php
require __DIR__ . '/../include/statics.php';
$file = source('fork', 'class Foo { #[VolatileStatic] public static int $v = 0; #[PinnedStatic] public static array $p = []; } function touched() {}');
/* Parent and child both publish their changes. */
echo json_encode(request("require '$file'; Foo::\$v = 1; touched(); Foo::\$v = 2; \$f = pcntl_fork(); if (!\$f) { Foo::\$p['child'] = Foo::\$v; exit; } pcntl_waitpid(\$f, \$s); Foo::\$p['parent'] = 1; return Foo::\$p;")), ' ';
echo json_encode(request("require '$file'; return [Foo::\$v, Foo::\$p];")), "\n";
/* The last of many changes is published while the request still runs, and stays if the process is killed. */
[$here, $there] = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);
$child = pcntl_fork();
if (!$child) {
    require $file;
    for ($i = 0; $i < 10000; $i++) Foo::$v = $i;
    Foo::$v = 4711;
    fwrite($there, "changed\n");
    while (true) touched();
}
fgets($here);
for ($end = microtime(true) + 60; ($v = request("require '$file'; return Foo::\$v;")) !== 4711 && microtime(true) < $end;) usleep(1000);
posix_kill($child, SIGKILL);
pcntl_waitpid($child, $status);
echo $v, ' ', request("require '$file'; return Foo::\$v;"), "\n";
/* A change through a reference is published, too. Publishing it does not cut a sleep short. */
$child = pcntl_fork();
if (!$child) {
    require $file;
    $r = &Foo::$v;
    for ($i = 0; $i < 100; $i++) { $r = $i; touched(); }
    $r = 4712;
    $slept = -hrtime(true);
    usleep(300000);
    fwrite($there, ($slept + hrtime(true) >= 300000000 ? 'slept' : 'woken') . "\n");
    while (true) touched();
}
echo fgets($here);
for ($end = microtime(true) + 60; ($v = request("require '$file'; return Foo::\$v;")) !== 4712 && microtime(true) < $end;) usleep(1000);
posix_kill($child, SIGKILL);
pcntl_waitpid($child, $status);
echo $v, "\n";
?>
--EXPECT--
{"parent":1} [2,{"parent":1}]
4711 4711
slept
4712
