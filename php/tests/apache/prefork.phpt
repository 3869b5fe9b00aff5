--TEST--
larder: apache: prefork: off unless php.ini opts in; sites apart by larder.scope; killed children; graceful restart
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/apache.php';
apache_skip();
if (ini_get("opcache.enable_cli")) die("skip Apache runs without opcache here: once is enough");
?>
--FILE--
<?php
require __DIR__ . '/../include/apache.php';
$folder = sys_get_temp_dir() . '/larder-apache-stores-' . getmypid(); mkdir($folder); chmod($folder, 0777);
register_shutdown_function(function () use ($folder) { array_map("unlink", glob("$folder/larder-*/*")); array_map("rmdir", glob("$folder/larder-*")); rmdir($folder); });
$V = '\Larder\VolatileCache';
echo "not opted in\n";
$apache = apache(['site' => []], [], 1);
echo $apache->get('site', "var_dump($V::set('k', 1), $V::get('k'), $V::info()->available, $V::info()->failure_reason); ob_start(); phpinfo(INFO_MODULES); echo preg_match('/Why it is off\s+=>\s+the SAPI/', strip_tags(str_replace('</td><td', ' => </td><td', ob_get_clean())), \$m) ? \"phpinfo says why\n\" : \"phpinfo says nothing\n\";");
$apache->graceful();
echo substr_count($apache->said(), 'Larder is off: the SAPI "apache2handler" does not separate users: larder.sapi_optin in php.ini must name it'), " starts logged why\n";
$apache = null;
$apache = apache(['site' => []], ['larder.sapi_optin' => 'frankenphp'], 1);
echo $apache->get('site', "var_dump($V::set('k', 1));");
$apache = null;

echo "opted in\n";
$sites = [
    'shop' => ['php_admin_value larder.scope shop'],
    'blog' => ['php_admin_value larder.scope blog'],
    'plain' => [], 'plain2' => [],
    'wrong' => ['php_admin_value larder.scope "../etc"'],
    'tries' => ['php_value larder.scope shop', 'php_admin_value larder.sapi_optin none'],
];
$apache = apache($sites, ['larder.sapi_optin' => 'frankenphp, apache2handler', 'larder.path' => $folder, 'larder.compat' => 'apcu, immutable_cache', 'immutable_cache.shm_size' => '8M']);
$all = 'json_encode([\Larder\VolatileCache::get("k"), \Larder\PinnedCache::get("k"), apcu_fetch("k"), immutable_cache_fetch("k"), \Larder\VolatileCache::pool("p")->get("k")])';
foreach (['shop', 'blog', 'plain'] as $site)
    $apache->get($site, "\Larder\VolatileCache::set('k', ['$site']); \Larder\PinnedCache::set('k', ['$site']); apcu_store('k', ['$site']); immutable_cache_add('k', ['$site']); \Larder\VolatileCache::pool('p')->set('k', ['$site']);");
/* A child must give the same answer for a site, whichever site it served before. */
$seen = [];
for ($i = 0; $i < 60; $i++) foreach (array_keys($sites) as $site) {
    $answer = $apache->get($site, "echo $all;");
    $seen[$site][$answer] = true;
}
foreach ($seen as $site => $answers) echo "$site: ", implode(' | ', array_keys($answers)), "\n";
echo $apache->get('shop', "ini_set('larder.scope', 'blog'); echo json_encode($V::get('k')), ' ', @ini_set('larder.scope', 'blog') === false ? 'refused' : 'set', ' ', $V::info()->entry_count, ' ', basename($V::info()->shared_model), \"\n\";");
echo $apache->get('wrong', "echo $V::info()->failure_reason, \"\n\";");
$apache->get('blog', "$V::clear(); apcu_clear_cache();");
foreach (['shop', 'blog'] as $site) echo "$site: ", $apache->get($site, "echo $all;"), "\n";

echo "killed\n";
$wrong = $lost = 0;
for ($i = 0; $i < 40; $i++) {
    $pid = (int) $apache->get('shop', 'echo getmypid();');
    if ($i % 2) $lost += $apache->get('shop', "for (\$i = 0; \$i < 20; \$i++) $V::set('w', str_repeat(chr(65 + $i % 26), 5000)); exec('kill -9 ' . getmypid()); for (;;) $V::set('w', str_repeat(chr(66 + $i % 25), 5000));") === null;
    else if ($pid > 1 && in_array($pid, $apache->children(), true)) posix_kill($pid, SIGKILL);
    $apache->wait(fn() => ($got = $apache->get('shop', "echo $V::set('n', $i) ? 'stored' : 'refused';")) === 'stored');
    $w = $apache->get('shop', "\$w = $V::get('w'); echo json_encode([\$w === null || \$w === str_repeat(\$w[0], 5000), $V::get('k'), $V::get('n')]);");
    $wrong += $w !== "[true,[\"shop\"],$i]";
}
echo "wrong: $wrong, killed at work: $lost\n";
foreach (['shop', 'blog', 'plain'] as $site) echo "$site: ", $apache->get($site, "echo $all;"), "\n";

echo "graceful restart\n";
for ($i = 0; $i < 2; $i++) $apache->graceful();
foreach (['shop', 'plain', 'plain2', 'tries'] as $site) echo "$site: ", $apache->get($site, "echo $all;"), "\n";
echo $apache->get('shop', "echo $V::set('new', 1) ? 'stored' : 'refused', \"\n\";");
$said = $apache->said();
$apache = null;

echo "without a name: the server's, as long as it runs\n";
$apache = apache(['plain' => [], 'other' => []], ['larder.sapi_optin' => 'apache2handler']);
$apache->get('plain', "$V::set('k', ['plain']);");
foreach ($apache->children() as $pid) posix_kill($pid, SIGKILL);
$apache->wait(fn() => ($got = $apache->get('other', "echo json_encode($V::get('k'));")) !== null);
$apache->graceful();
echo $apache->get('other', "echo json_encode($V::get('k')), ' ', $V::info()->shared_model, \"\n\";");
$said .= $apache->said();
if (preg_match('/^.*(exit signal (?!Killed)|Larder: (?!.*larder\.scope = )).*$/m', $said, $m)) echo $m[0], "\n";
--EXPECTF--
not opted in
bool(false)
NULL
bool(false)
string(%d) "the SAPI "apache2handler" does not separate users: larder.sapi_optin in php.ini must name it"
phpinfo says why
2 starts logged why
bool(false)
opted in
shop: [["shop"],["shop"],["shop"],["shop"],["shop"]]
blog: [["blog"],["blog"],["blog"],["blog"],["blog"]]
plain: [["plain"],["plain"],["plain"],["plain"],["plain"]]
plain2: [["plain"],["plain"],["plain"],["plain"],["plain"]]
wrong: [null,null,false,false,null]
tries: [["plain"],["plain"],["plain"],["plain"],["plain"]]
["shop"] refused %d shop-volatile
larder.scope = "../etc": must be at most 64 letters, digits, '_', '-' and '.', no '.' first
shop: [["shop"],["shop"],["shop"],["shop"],["shop"]]
blog: [null,["blog"],false,["blog"],null]
killed
wrong: 0, killed at work: 20
shop: [["shop"],["shop"],["shop"],["shop"],["shop"]]
blog: [null,["blog"],false,["blog"],null]
plain: [["plain"],["plain"],["plain"],["plain"],["plain"]]
graceful restart
shop: [["shop"],["shop"],["shop"],["shop"],["shop"]]
plain: [["plain"],["plain"],["plain"],["plain"],["plain"]]
plain2: [["plain"],["plain"],["plain"],["plain"],["plain"]]
tries: [["plain"],["plain"],["plain"],["plain"],["plain"]]
stored
without a name: the server's, as long as it runs
["plain"] anonymous
