--TEST--
larder: ops: Inspector::keys() gives the keys of entries(), of pools and of none, and no id of a session
--EXTENSIONS--
larder
--INI--
larder.volatile_size=8M
larder.session_size=8M
--SKIPIF--
<?php if (!extension_loaded('session')) die('skip needs sessions'); ?>
--FILE--
<?php
use Larder\{Inspector, VolatileCache};
ob_start(); /* sessions must start before any output */
for ($i = 0; $i < 300; $i++) VolatileCache::set("k$i", $i);
VolatileCache::pool('p')->set('k7', 1);
VolatileCache::pool('old')->set('k8', 1);
VolatileCache::pool('old')->clear();
$store = Inspector::own('volatile');
$same = function (string $prefix, ?string $pool) use ($store) {
    $keys = $store->keys($prefix, 0, $pool);
    $entries = array_column($store->entries($prefix, '', 0, $pool), 'key');
    sort($keys);
    sort($entries);
    echo json_encode($keys === $entries), ' ', count($keys), "\n";
};
$same('', null);
$same('k1', null);
$same('', 'p');
$same('', '');
$same('none', null);
echo count($store->keys('k', 10)), ' ', count($store->keys('k', 1000)), "\n";
try {
    $store->keys('', -1);
} catch (ValueError $e) {
    echo $e->getMessage(), "\n";
}

ini_set('session.save_handler', 'larder');
ini_set('session.use_cookies', '0');
ini_set('session.cache_limiter', '');
session_save_path('/srv/a');
session_id('secret0000000000000000000000000001');
session_start();
$_SESSION['x'] = 1;
session_write_close();
$sessions = Inspector::own('session');
[$key] = $sessions->keys();
echo preg_match('/^[0-9a-f]{12}$/', $key), ' ', json_encode([$key] === $sessions->keys('/srv')), ' ', count($sessions->keys("/srv/a\0")), count($sessions->keys("/srv/a\0s")), count($sessions->keys('', 0, '/srv/b')), "\n";
try {
    $sessions->value($key);
} catch (Larder\StaticCacheException $e) {
    echo $e->getMessage(), "\n";
}

echo "-- ended, under its lock\n";
session_start();
var_dump($sessions->delete('000000000000'), $sessions->delete($key), $sessions->keys());
session_abort();
?>
--EXPECT--
true 301
true 111
true 1
true 300
true 0
10 301
Larder\Inspector::keys(): Argument #2 ($limit) must be greater than or equal to 0
1 true 100
the content of a session is not shown: only its own site may read it
-- ended, under its lock
bool(false)
bool(true)
array(0) {
}
