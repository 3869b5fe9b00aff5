--TEST--
larder: FrankenPHP: sites of one Caddy, with and without workers: each LARDER_SCOPE has stores of its own
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/frankenphp.php';
frankenphp_skip();
?>
--FILE--
<?php
require __DIR__ . '/../include/frankenphp.php';
$folder = sys_get_temp_dir() . '/larder-frankenphp-stores-' . getmypid(); mkdir($folder);
register_shutdown_function(function () use ($folder) { array_map("unlink", glob("$folder/larder-*/*")); array_map("rmdir", glob("$folder/larder-*")); rmdir($folder); });
$V = '\Larder\VolatileCache';
$worker = fn(string $site) => ['worker {', "file FOLDER/$site/worker.php", 'num 2', '}'];
/* tenant1 and tenant2 have the same root, so one worker of the server serves both in turn. */
$sites = [
    'shop' => ['env LARDER_SCOPE shop', ...$worker('shop')],
    'blog' => ['env LARDER_SCOPE blog', ...$worker('blog')],
    'plain' => $worker('plain'), 'plain2' => [],
    'wrong' => ['env LARDER_SCOPE ../etc'],
    'tenant1' => ['env LARDER_SCOPE one', 'root FOLDER'],
    'tenant2' => ['env LARDER_SCOPE two', 'root FOLDER'],
];
$server = frankenphp($sites, ['num_threads 12', 'worker {', 'file FOLDER/worker.php', 'num 1', '}'], ['larder.path' => $folder, 'larder.compat' => 'apcu', 'larder.statics' => '1']);
$named = ['shop', 'blog', 'plain', 'tenant1', 'tenant2'];
$script = fn(string $site, int $i) => $i % 2 || in_array($site, ['plain2', 'wrong']) ? 'run.php' : 'worker.php';
foreach ($named as $i => $site)
    $server->get($site, "$V::set('k', ['$site']); \Larder\PinnedCache::set('k', ['$site']); apcu_store('k', ['$site']); $V::pool('p')->set('k', ['$site']);", $script($site, $i));

/* Prints each site's answers, which must be equal, whichever site the thread served before. */
function look(FrankenPhp $server, array $sites, callable $script, string $V): void
{
    $seen = [];
    for ($i = 0; $i < 40; $i++) foreach (array_keys($sites) as $site)
        $seen[$site][$server->get($site, "echo json_encode([$V::get('k'), \Larder\PinnedCache::get('k'), apcu_fetch('k'), $V::pool('p')->get('k')]);", $script($site, $i))] = true;
    foreach ($seen as $site => $answers) echo "$site: ", implode(' | ', array_keys($answers)), "\n";
}
look($server, $sites, $script, $V);
echo $server->get('wrong', "echo $V::info()->failure_reason, \"\n\";");

/* In these requests, a shutdown function or a destructor is the first to use a store. */
foreach (['shop', 'blog', 'plain'] as $site) {
    $server->get($site, "register_shutdown_function(fn() => $V::set('late', '$site')); ");
    $server->get($site, "\$GLOBALS['o'] = new class { function __destruct() { $V::set('later', '$site'); } };");
}
foreach (['shop', 'blog', 'plain'] as $site)
    echo "$site: ", $server->get($site, "echo json_encode([$V::get('late'), $V::get('later')]);"), "\n";

/* One worker serves two sites in turn. A request of one site must not change the other site's values. A request's locks end with it, so each
 * request gets the lock. */
for ($i = 0; $i < 200; $i++)
    foreach (['tenant1', 'tenant2'] as $site) {
        $got = $server->get($site, "\$was = $V::get('n'); $V::set('n', [$i, '$site']); \$GLOBALS['kept'][] = $V::get('n'); echo json_encode([\$was, $V::lock('l')]);", 'worker.php');
        $right = json_encode([$i === 0 ? null : [$i - 1, $site], true]);
        if ($got !== $right) echo "WRONG $site $i: $got\n";
    }
echo 'kept: ', $server->get('tenant1', 'foreach ($GLOBALS["kept"] as $i => $v) if ($v !== [intdiv($i, 2), $i % 2 ? "tenant2" : "tenant1"]) echo "WRONG $i "; echo count($GLOBALS["kept"]);', 'worker.php'), "\n";

$server->get('blog', "$V::clear(); apcu_clear_cache();", 'worker.php');
echo $server->reload() ? "reloaded\n" : "not reloaded\n";
$server->wait(fn() => $server->get('shop', 'echo "up";', 'worker.php') === 'up');
look($server, $sites, $script, $V);
if (preg_match('/^.*(WRONG|SIGSEGV|panic:|signal arrived|Larder: (?!.*larder\.scope = )(?!a worker)).*$/m', $server->said(), $m)) echo $m[0], "\n";
?>
--EXPECT--
shop: [["shop"],["shop"],["shop"],["shop"]]
blog: [["blog"],["blog"],["blog"],["blog"]]
plain: [["plain"],["plain"],["plain"],["plain"]]
plain2: [["plain"],["plain"],["plain"],["plain"]]
wrong: [null,null,false,null]
tenant1: [["tenant1"],["tenant1"],["tenant1"],["tenant1"]]
tenant2: [["tenant2"],["tenant2"],["tenant2"],["tenant2"]]
larder.scope = "../etc": must be at most 64 letters, digits, '_', '-' and '.', no '.' first
shop: ["shop","shop"]
blog: ["blog","blog"]
plain: ["plain","plain"]
kept: 400
reloaded
shop: [["shop"],["shop"],["shop"],["shop"]]
blog: [null,["blog"],false,null]
plain: [["plain"],["plain"],["plain"],["plain"]]
plain2: [["plain"],["plain"],["plain"],["plain"]]
wrong: [null,null,false,null]
tenant1: [["tenant1"],["tenant1"],["tenant1"],["tenant1"]]
tenant2: [["tenant2"],["tenant2"],["tenant2"],["tenant2"]]
