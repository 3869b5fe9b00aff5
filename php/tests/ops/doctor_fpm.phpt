--TEST--
larder: ops: the doctor asks pools of FPM what is wrong there, and whether the command line shares their stores
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip('www-data', 'nobody');
for ($part = PHP_BINARY; $part !== '/'; $part = dirname($part)) {
    if ((fileperms($part) & 1) === 0) die('skip needs a PHP that other users may run');
}
if (opcache_load() === null) die('skip needs opcache');
?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/ops.php';
$opcache = [...(extension_loaded('Zend OPcache') ? [] : opcache_load()), 'opcache.enable=1'];
mkdir($stores = '/dev/shm/larder-doctor-' . getmypid()); /* in memory, where the doctor expects stores */
chmod($stores, 0777);
$owner = getmypid();
$uid = posix_getpwnam('www-data')['uid'];
register_shutdown_function(fn () => getmypid() === $owner && exec('rm -rf ' . escapeshellarg($stores)));
$scope = ['php_admin_value[larder.path]' => $stores, 'php_admin_value[larder.scope]' => 'app'];
$jail = ['php_admin_value[open_basedir]' => sys_get_temp_dir(), 'php_admin_value[disable_functions]' => 'posix_geteuid']; /* this pool cannot find out its user */
$fpm = fpm([
    'well' => [],
    'off' => ['php_admin_value[larder.enable]' => '0'],
    'bad' => ['php_admin_value[larder.volatile_size]' => '8MB'],
    'large' => ['php_admin_value[larder.pinned_size]' => '1T'],
    'slow' => ['php_admin_value[opcache.enable]' => '0'],
    'open' => ['process.dumpable' => 'yes'],
    'jail' => $scope + ['php_admin_value[open_basedir]' => sys_get_temp_dir()],
    'gone' => ['php_admin_value[larder.path]' => sys_get_temp_dir() . "/larder-gone-$owner", 'php_admin_value[larder.scope]' => 'app'] + $jail,
    'alone' => $jail,
    'named' => $scope + ['php_admin_value[larder.queue_size]' => '8M'],
], $opcache);
$program = $fpm->folder . '/www/larder.php';
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . ' ' . escapeshellarg($program));

/* Asks the doctor about a pool, and prints what it says. $settings: settings of the command line. */
$ask = function (Fpm $fpm, string $pool, array $settings = [], array $more = []) use ($program, $stores, $uid): void {
    $command = ops_command();
    array_pop($command);
    foreach ($settings as $setting) {
        array_push($command, '-d', $setting);
    }
    array_push($command, $program, 'doctor', '--json', '--fpm', $fpm->socket($pool), '--fpm-file', $program, ...$more);
    exec(implode(' ', array_map(escapeshellarg(...), $command)), $lines, $code);
    $answer = json_decode(strstr(implode("\n", $lines), '{') ?: '', true) ?? die(implode("\n", $lines));
    echo $code === ($answer['well'] ? 0 : 1) ? '' : "exit code $code\n", "$pool: ", $answer['well'] ? "all is well\n" : '';
    foreach ($answer['findings'] as $finding) {
        if ($finding['level'] === 'wrong') {
            $finding['where'] = preg_replace('~ /\S+/(20-larder|php)\.ini~', ' INI', $finding['where']);
            echo strtr("{$finding['part']} [{$finding['check']}] {$finding['where']}: " . preg_replace('/(?<=pinned_size\] = )\d+M$/', 'NM', $finding['line']) . "\n", [$stores => 'STORES', "larder-$uid/" => 'larder-UID/', sys_get_temp_dir() . '/larder-gone-' . getmypid() => 'GONE', $fpm->folder => 'FOLDER', $fpm->socket($pool) => 'SOCKET', ]);
        }
    }
};

echo "-- pools\n";
foreach (['well', 'off', 'bad', 'large', 'slow', 'open', 'gone', 'alone'] as $pool) {
    $ask($fpm, $pool);
}
echo "-- whether they share\n";
$shared = ["larder.path=$stores", 'larder.scope=app'];
$ask($fpm, 'named');
$ask($fpm, 'well', $shared);
$ask($fpm, 'named', ["larder.path=$stores", 'larder.scope=shop']);
$ask($fpm, 'named', [...$shared, 'larder.queue_size=32M']);
echo trim(ops_as('nobody', fn () => $ask($fpm, 'named', $shared))), "\n";
echo trim(ops_as('www-data', fn () => $ask($fpm, 'named', $shared))), "\n";
$ask($fpm, 'named', $shared);
$ask($fpm, 'jail', $shared);
echo trim(ops_as('www-data', fn () => $ask($fpm, 'jail', $shared))), "\n";
foreach (['jail', 'alone'] as $pool) {
    echo strtr(ops_larder('clear', '--fpm', $fpm->socket($pool), '--fpm-file', $program), [$stores => 'STORES', "larder-$uid/" => 'larder-UID/', "user $uid\n" => "user UID\n"]);
}
chmod(glob("$stores/larder-*/app-volatile")[0], 0666);
$ask($fpm, 'named', $shared);

echo "-- pools that cannot be asked\n";
$fpm->stop();
$ask($fpm, 'well', [], ['--fpm', '/nowhere/404.sock']); /* the doctor must not take the 404 in this address for an HTTP status */
$bare = new Fpm(['bare' => []], [...$opcache, 'opcache.jit=tracing', 'opcache.jit_buffer_size=0']);
$command = $bare->command();
$at = array_search('extension=' . fpm_module('larder.so'), $command, true);
array_splice($command, $at - 1, 2);
(new ReflectionProperty($bare, 'command'))->setValue($bare, $command);
$bare->start();
$ask($bare, 'bare');
$ask($bare, 'bare', [], ['--fpm-file', '/nowhere/larder.php']);

echo "-- as people read it\n";
echo preg_replace(['/\n {22}(?=\S)/', '~in /\S+~', '/0\.1\.0|\d+(\.\d+)?[GM]\b/', '/Linux [^\s:]+/', '/, the JIT.*/'], [' ', 'in FOLDER', 'N', 'Linux N', ''], ops_larder('doctor', '--fpm', $bare->socket('bare'), '--fpm-file', $program));
?>
--EXPECT--
-- pools
well: all is well
off: pool off of FPM [enable] write into the section [off] of the pool: php_admin_value[larder.enable] = 1
bad: pool bad of FPM [settings] write into the section [bad] of the pool: php_admin_value[larder.volatile_size] = 8M
large: pool large of FPM [memory] write into the section [large] of the pool: php_admin_value[larder.pinned_size] = NM
slow: pool slow of FPM [opcache] write into the section [slow] of the pool: php_admin_value[opcache.enable] = 1
open: pool open of FPM [isolation] write into the section [open] of the pool: process.dumpable = no
gone: pool  of FPM [folder] run: sudo install -d -m 0700 -o USER GONE
command line and pool  of FPM [sharing] write into INI: larder.scope = app
command line and pool  of FPM [sharing] write into INI: larder.path = GONE
alone: all is well
-- whether they share
named: command line and pool named of FPM [sharing] write into INI: larder.scope = app
command line and pool named of FPM [sharing] write into INI: larder.path = STORES
well: command line and pool well of FPM [sharing] write into INI: larder.scope = app
command line and pool well of FPM [sharing] write into INI: larder.path = STORES
named: command line and pool named of FPM [sharing] write instead of -d larder.scope=shop: -d larder.scope=app
named: command line and pool named of FPM [sharing] restart FPM if its ini files have 32M by now; else write instead of -d larder.queue_size=32M: -d larder.queue_size=8M
named: command line and pool named of FPM [sharing] run programs of the command line so: sudo -u www-data php PROGRAM
named: all is well
named: all is well
jail: all is well
jail: all is well
0 entries cleared in the volatile store STORES/larder-UID/app-volatile of user UID
0 entries cleared in the volatile store
named: pool named of FPM [permissions] run: sudo chmod 0600 STORES/larder-UID/app-volatile
-- pools that cannot be asked
well: pool at SOCKET [fpm] start FPM; the section of its pool must have: listen = SOCKET
pool at /nowhere/404.sock [fpm] start FPM; the section of its pool must have: listen = /nowhere/404.sock
bare: pool bare of FPM [extension] run in the sources of Larder: make php larder && sudo make install
pool bare of FPM [jit] write instead of -d opcache.jit_buffer_size=0: -d opcache.jit_buffer_size=64M
bare: pool at SOCKET [fpm] run, with a copy of larder.php that the pool may read: larder doctor --fpm SOCKET --fpm-file COPY
-- as people read it
command line
  right  extension    larder N is loaded
  right  settings     every setting has a good value
  right  enable       Larder is switched on
  right  memory       the stores may take N (volatile N, pinned N, queue N) of the N that this machine has
  right  scope        stores have no name: a program and what it forks share them (larder.scope names one that others share)
  right  stores       volatile N, pinned N, session N, queue N can be used
  note   opcache      opcache is off on the command line, as it usually is
  right  kernel       Linux N: memfd_create(2) and membarrier(2) work

pool bare of FPM
  WRONG  extension    larder is not loaded, and not installed in FOLDER
         run in the sources of Larder:
             make php larder && sudo make install
  WRONG  jit          opcache.jit is tracing, but the JIT has no memory, so it is off
         write instead of -d opcache.jit_buffer_size=0:
             -d opcache.jit_buffer_size=N
  right  opcache      opcache is on
  right  kernel       Linux N

2 things are wrong; restart FPM after a change of ini files
exit code 1
