--TEST--
larder: session: fpm: two sites of a pool and one cookie; pools apart; named stores outlive FPM; sessions of a restarted worker
--EXTENSIONS--
larder
session
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
$common = ['session.save_handler' => 'larder', 'session.use_strict_mode' => 0];
$fpm = new Fpm(['one' => ['pm.max_children' => 2], 'two' => [], 'named' => ['php_admin_value[larder.path]' => '$FOLDER']], $common);
$conf = $fpm->folder . '/fpm.conf';
file_put_contents($conf, strtr(file_get_contents($conf), ['$FOLDER' => $fpm->folder . '/log']));
$fpm->start();

/* Sends a request as a web server does if each site has its own folder for sessions. */
$visit = function (string $pool, string $site, string $code, string $cookie = 'thesamecookie') use ($fpm): string {
    return (string) $fpm->run($pool, "session_start(); $code", ['HTTP_COOKIE' => "PHPSESSID=$cookie", 'PHP_VALUE' => "session.save_path=/srv/$site/sessions"]);
};
echo "-- one pool, two sites, one cookie\n";
echo $visit('one', 'shop', '$_SESSION["user"] = "admin"; echo session_id();'), "\n";
echo $visit('one', 'blog', 'var_dump($_SESSION, session_id()); $_SESSION["user"] = "guest";');
echo $visit('one', 'shop', 'var_dump($_SESSION, Larder\Sessions::ids());');
echo $visit('one', 'blog', 'var_dump($_SESSION["user"]); session_destroy();');
echo $visit('one', 'shop', 'var_dump($_SESSION["user"]);');

echo "-- another pool\n";
echo $visit('two', 'shop', 'var_dump($_SESSION, Larder\Sessions::count());');

echo "-- all workers die\n";
foreach ($fpm->workers('one') as $pid) while (fpm_lives($pid) && !$fpm->kill($pid)) usleep(1000);
echo $visit('one', 'shop', 'var_dump($_SESSION["user"]);');

echo "-- FPM ends and starts again\n";
echo $visit('named', 'shop', '$_SESSION["user"] = "named"; echo preg_match("~/larder-\\d+/default-session$~", Larder\Sessions::info()->shared_model) ? "a file" : "no file", "\n";');
$fpm->stop();
$fpm->start();
echo $visit('named', 'shop', 'var_dump($_SESSION["user"]);');
echo $visit('one', 'shop', 'var_dump($_SESSION["user"] ?? null);');
--EXPECT--
-- one pool, two sites, one cookie
thesamecookie
array(0) {
}
string(13) "thesamecookie"
array(1) {
  ["user"]=>
  string(5) "admin"
}
array(1) {
  [0]=>
  string(13) "thesamecookie"
}
string(5) "guest"
string(5) "admin"
-- another pool
array(0) {
}
int(0)
-- all workers die
string(5) "admin"
-- FPM ends and starts again
a file
string(5) "named"
NULL
