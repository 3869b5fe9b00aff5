--TEST--
larder: scope: what opcache preloads, also as another user, has none of the pools' memory
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip('www-data');
if (opcache_load() === null) die('skip needs opcache');
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

$settings = [...array_diff(opcache_load(), opcache_settings()), 'opcache.enable=1'];
/* PHP preloads as www-data in a process that the master forks for this, and as root in the master itself. */
foreach (['www-data', 'root'] as $user) {
    $fpm = new Fpm(['www' => ['user' => 'www-data']]);
    $found = $fpm->folder . '/log/found';
    $preload = $fpm->script("\$n = 0; for (\$fd = 0; \$fd < 1024; \$fd++) \$n += str_contains((string) @readlink('/proc/self/fd/' . \$fd), 'memfd:larder'); file_put_contents('$found', json_encode([fileowner('/proc/self') === 0 ? 'root' : 'other', \$n, V::set('k', 1), Larder\\VolatileCache::info()->available, Larder\\VolatileCache::info()->failure_reason]) . \"\\n\", FILE_APPEND); class Preloaded {}");
    $fpm = new Fpm(['www' => ['user' => 'www-data']], [...$settings, "opcache.preload=$preload", "opcache.preload_user=$user"]);
    $fpm->start();
    echo "-- as $user\n", file_get_contents($found);
    echo $fpm->run('www', 'var_dump(class_exists("Preloaded", false), V::set("k", 1), V::get("k"), V::info()->shared_model);');
    echo $fpm->said('www'), $fpm->said('master-php');
    $fpm->stop();
}
--EXPECT--
-- as www-data
["other",0,false,false,"opcache preloads: stores are opened when that is done"]
bool(true)
bool(true)
int(1)
string(4) "pool"
-- as root
["root",0,false,false,"opcache preloads: stores are opened when that is done"]
bool(true)
bool(true)
int(1)
string(4) "pool"
