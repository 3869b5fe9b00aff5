--TEST--
larder: session: sites with different save paths never see each other's sessions, whatever the cookie says
--EXTENSIONS--
larder
session
--INI--
session.save_handler=larder
session.use_cookies=1
session.use_strict_mode=0
session.cache_limiter=
--FILE--
<?php
ob_start();
use Larder\Sessions;

$visit = function (string $path, ?string $name = null): array {
    session_save_path($path);
    session_id('thesamecookie');
    session_start();
    $before = $_SESSION;
    if ($name !== null) $_SESSION['user'] = $name;
    session_write_close();
    return $before;
};
/* Some of these paths begin with another path of the list. One of them is another path followed by the session id. */
$sites = ['/var/www/a', '/var/www/b', '/var/www/a/thesamecookie', '/var/www/', '', '2;/var/www/a', 'tcp://localhost?x=1', str_repeat('p', 5000)];
foreach ($sites as $i => $site) var_dump($visit($site, "user $i") === []);
foreach ($sites as $i => $site) var_dump($visit($site) === ['user' => "user $i"], Sessions::count(), Sessions::ids() === ['thesamecookie']);

echo "-- one ends\n";
session_save_path($sites[0]);
var_dump(Sessions::destroy('thesamecookie'), Sessions::count(), Sessions::destroy('thesamecookie'));
session_save_path($sites[1]);
var_dump(Sessions::count(), Sessions::info()->entry_count); /* one entry records that the session was destroyed */

echo "-- a path that is too long\n";
session_save_path(str_repeat('p', 65300));
var_dump(session_start());
try { Sessions::count(); } catch (Larder\StaticCacheException $e) { echo $e->getMessage(), "\n"; }
--EXPECTF--
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(1)
bool(true)
bool(true)
int(1)
bool(true)
-- one ends
bool(true)
int(0)
bool(false)
int(1)
int(8)
-- a path that is too long

Warning: session_start(): session.save_path must be at most 65278 bytes long, it has 65300 in %s on line %d

Warning: session_start(): Failed to initialize storage module: larder (path: p%s) in %s on line %d
bool(false)
session.save_path must be at most 65278 bytes long, it has 65300
