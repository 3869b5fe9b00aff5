--TEST--
larder: ops: the command reaches the stores of an FPM pool over its socket: clears the web cache after a deployment
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/ops.php';
$fpm = fpm(['shop' => ['pm.max_children' => 2], 'blog' => [], 'off' => ['php_admin_value[larder.enable]' => '0'], 'jail' => ['php_admin_value[open_basedir]' => '/nowhere']]);
/* Put the command where the pools can read it. */
$program = $fpm->folder . '/www/larder.php';
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . ' ' . escapeshellarg($program));
$in = fn (string $pool) => ['--fpm', $fpm->socket($pool), '--fpm-file', $program];
$clean = fn (string $text) => strtr($text, [$fpm->folder => 'FOLDER', $fpm->socket('shop') => 'SOCKET', $fpm->socket('jail') => 'JAIL', $fpm->socket('off') => 'OFF']);

$fpm->run('shop', 'for ($i = 0; $i < 30; $i++) V::set("page:$i", str_repeat("x", 1000)); V::set("price:1", 10); V::pool("cart")->set("a", [1]); V::get("page:1"); V::get("none");');
$fpm->run('blog', 'V::set("post", "text");');

echo "-- one pool, not the other\n";
$stats = json_decode(ops_larder('stats', '--json', ...$in('shop')));
echo "$stats->pool $stats->sapi ", implode(' ', array_keys((array) $stats->stores)), ' ', $stats->stores->volatile->entries, ' ', $stats->stores->volatile->size >> 20, "M\n";
echo ops_larder('get', 'post', ...$in('shop')), ops_larder('get', 'post', ...$in('blog'));
echo ops_larder('top', '-n', '1', '--prefix', 'price', ...$in('shop')) !== '' ? "top\n" : '';
echo count(explode("\n", trim(ops_larder('keys', 'page:', ...$in('shop'))))), "\n";
echo ops_larder('keys', '--pool', 'cart', ...$in('shop'));
chdir(dirname($fpm->socket('blog')));
foreach (['', './'] as $here) {
    echo ops_larder('keys', '--fpm', $here . basename($fpm->socket('blog')), '--fpm-file', $program);
}

echo "-- after a deployment\n";
echo ops_larder('clear', '--prefix', 'b', '--pool', 'cart', ...$in('shop')), ops_larder('del', 'a', '--pool', 'cart', ...$in('shop'));
echo ops_larder('clear', '--prefix', 'page:', ...$in('shop')), ops_larder('clear', '--pool', 'cart', ...$in('shop')), ops_larder('get', 'price:1', ...$in('shop')), ops_larder('clear', ...$in('shop'));
echo $fpm->run('shop', 'var_dump(V::get("page:1"), V::get("price:1"));'), $fpm->run('blog', 'echo V::get("post"), "\n";');
$warm = $fpm->script('V::set("warm", php_sapi_name()); echo "output of it";');
echo preg_replace('~/\S+|[\d.]+ s~', '...', ops_larder('warm', $warm, ...$in('shop'))), ops_larder('get', 'warm', ...$in('shop'));
foreach (['exit(0);', 'throw new Exception("no table");', 'nonsense(;', 'nonsense();'] as $code) {
    echo preg_replace('~/\S+~', '...', ops_larder('warm', $fpm->script($code), ...$in('shop')));
}

echo "-- long keys, and many\n";
$fpm->run('shop', 'V::set(str_repeat("long", 16000), "value of a long key"); for ($i = 0; $i < 3000; $i++) V::set("session of somebody $i", $i);');
echo ops_larder('get', str_repeat('long', 16000), ...$in('shop')), ops_larder('clear', '--prefix', str_repeat('long', 16000), ...$in('shop'));
echo ops_larder('del', ...array_map(fn (int $i) => "session of somebody $i", range(0, 2999)), ...$in('shop')), count(explode("\n", ops_larder('keys', 'session', ...$in('shop')))), "\n";

echo "-- what may be wrong\n";
echo $clean(ops_larder('stats', '--fpm', $fpm->socket('shop'), '--fpm-file', '/nowhere/larder.php'));
echo $clean(ops_larder('stats', ...$in('off'))), $clean(ops_larder('keys', ...$in('off')));
/* With opcache, a pool can run a script that another pool has compiled, even one that it may not open. */
echo ini_get('opcache.enable_cli') ? "larder: not asked\nexit code 1\n" : preg_replace('/fpm: .*/', 'fpm: ...', $clean(ops_larder('ping', ...$in('jail'))));
foreach (['localhost:1', 'none.sock'] as $address) {
    echo $clean(ops_larder('ping', '--fpm', $address, '--fpm-file', $program));
}
var_dump(str_contains($clean(ops_larder('keys', '--order', 'x', ...$in('shop'))), 'exit code 2'));

echo "-- a request over HTTP is no request of the command\n";
echo $fpm->run('shop', 'V::set("kept", 1);');
echo explode("\n", $fpm->run('shop', "require '$program';", ['HTTP_LARDER_OPERATION' => base64_encode(serialize(['clear', []]))]))[0], "\n";
echo ops_larder('get', 'kept', ...$in('shop'));
--EXPECTF--
-- one pool, not the other
shop fpm-fcgi volatile pinned session queue 34 64M
larder: no entry has the key post
exit code 1
text
top
30
a
post
post
-- after a deployment
larder: only one of --prefix and --pool may be given
exit code 2
larder: larder del takes no --pool
exit code 2
30 entries cleared in the volatile store of FPM pool shop of user %s
1 entry of Larder\Pool cart cleared in the volatile store of FPM pool shop of user %s
10
3 entries cleared in the volatile store of FPM pool shop of user %s
NULL
NULL
text
... +1 entry, ...
fpm-fcgi
larder: the request was ended: does the file call exit()?
exit code 1
larder: Exception: no table
exit code 1
larder: ParseError: syntax error, unexpected token ";"
exit code 1
larder: Error: Call to undefined function nonsense()
exit code 1
-- long keys, and many
value of a long key
1 entry cleared in the volatile store of FPM pool shop of user %s
1
-- what may be wrong
larder: SOCKET answers "404 Not Found": %S
exit code 1
larder: volatile: the volatile store is off: larder.enable is 0
larder: pinned: the pinned store is off: larder.enable is 0
larder: immutable: the immutable store is off: larder.enable is 0
larder: apcu: the apcu store is off: larder.enable is 0
larder: session: the session store is off: larder.enable is 0
larder: queue: the queue store is off: larder.enable is 0
exit code 1
larder: the volatile store is off: larder.enable is 0
exit code 1
larder: %s
exit code 1
larder: localhost:1: Connection refused; a path of php-fpm's socket ("listen" of the pool) or HOST:PORT is expected
exit code 1
larder: none.sock: No such file or directory; a path of php-fpm's socket ("listen" of the pool) or HOST:PORT is expected
exit code 1
bool(true)
-- a request over HTTP is no request of the command
The dashboard is off. Switch it on with fastcgi_param LARDER_DASHBOARD read; (or write) in nginx, or env[LARDER_DASHBOARD] = read in the FPM pool. Let only your own people reach it.
1
