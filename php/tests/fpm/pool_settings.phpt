--TEST--
larder: fpm: each pool has its own settings; more pools than larder.pools, and bad values, are said
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';

/* Replace the C library's text for error 24 (EMFILE), because C libraries have different texts. */
ob_start(fn($text) => function_exists('posix_strerror') ? str_replace(posix_strerror(24), 'Too many open files', $text) : $text);
$fpm = fpm([
    'large' => ['php_admin_value[larder.volatile_size]' => '128M', 'php_admin_value[larder.pinned_size]' => '16M'],
    'small' => ['php_admin_value[larder.volatile_size]' => '2M', 'php_admin_value[larder.pinned_size]' => '0', 'pm.max_children' => 2],
    'off' => ['php_admin_flag[larder.enable]' => 'off'],
    'bad' => ['php_admin_value[larder.volatile_size]' => '12Q'],
    'named' => ['php_admin_value[larder.scope]' => 'test-' . getmypid()],
    'late' => [],
], ['larder.pools' => 3]);

$show = 'foreach ([V::info(), P::info()] as $i) echo $i->enabled ? "" : "not enabled ", $i->available ? "on" : "off", " ", $i->configured_memory >> 20, "M ", $i->shared_model, " ", $i->failure_reason, "\n"; var_dump(V::set("k", 1) || P::set("k", 1));';
foreach (['large', 'small', 'off', 'bad', 'named', 'late'] as $pool) {
    echo "-- $pool\n", preg_replace('~/\S*/larder-\d+/test-\d+~', 'FILE', $fpm->run($pool, $show)), $fpm->run($pool, 'V::get("k");'), $fpm->said($pool), "\n";
}
array_map('unlink', glob('/dev/shm/larder-*/test-' . getmypid() . '-*'));

echo "-- a reload with room for all\n";
$fpm->reload();
echo $fpm->run('late', 'var_dump(V::set("k", 1));');

echo "-- few descriptors, for FPM and for a pool\n";
$few = fpm(['www' => ['rlimit_files' => 20]], [], [], 'rlimit_files = 40');
echo $few->run('www', 'var_dump(V::set("k", 1), V::get("k"), P::set("k", 1));'), $few->said('master-php'), "\n";
$few->stop();
$few = fpm(['www' => ['rlimit_files' => 20]]);
echo $few->run('www', 'var_dump(V::set("k", 1), V::get("k"), P::set("k", 1));'), $few->said('master-php');

echo "-- a store that only the pool asks for\n";
$few->stop();
$few = fpm(['www' => ['php_admin_value[larder.immutable_size]' => '2M']]);
$few->run('www', 'phpinfo(INFO_MODULES); V::set("k", 1);');
echo $few->run('www', 'var_dump(V::get("k"));'), $few->said('www'), "\n";

echo "-- bad values that are about no store\n";
$few->stop();
$few = fpm(['www' => ['php_admin_value[larder.statics]' => 'maybe', 'php_admin_value[larder.resident_size]' => '"8 MB"', 'php_admin_value[larder.entries_hint]' => '-5', 'php_admin_value[larder.statics_interval]' => '1.5']]);
echo $few->run('www', 'var_dump(V::set("k", 1));'), $few->run('www', 'var_dump(V::get("k"));'), $few->said('www'), "\n";

echo "-- larder.pools\n";
foreach (['0', '1025', '-1', 'many', '1024'] as $pools) {
    $bad = new Fpm(['www' => []], ['larder.pools' => $pools]);
    exec(implode(' ', array_map('escapeshellarg', $bad->command('-d', 'error_log=', '-i'))) . ' 2>&1', $lines);
    echo implode("\n", preg_grep('/^(PHP )?Warning/', $lines)), "\n";
    $lines = [];
}
--EXPECT--
-- large
on 128M pool 
on 16M pool 
bool(true)

-- small
on 2M pool 
not enabled off 0M anonymous larder.pinned_size is 0
bool(true)

-- off
not enabled off 64M anonymous larder.enable is 0
not enabled off 32M anonymous larder.enable is 0
bool(false)
Larder is off in this worker: larder.enable is 0
-- bad
not enabled off 0M anonymous larder.volatile_size = "12Q": must be 0 or a size from 1M to 1T
on 32M pool 
bool(true)
Larder: the volatile store is off in this worker: larder.volatile_size = "12Q": must be 0 or a size from 1M to 1T
-- named
on 64M FILE-volatile 
on 32M FILE-pinned 
bool(true)

-- late
off 64M anonymous larder.pools = 3, and other pools have taken all 3 that could be prepared; raise it in php.ini and reload FPM
off 32M anonymous larder.pools = 3, and other pools have taken all 3 that could be prepared; raise it in php.ini and reload FPM
bool(false)
Larder is off in this worker: larder.pools = 3, and other pools have taken all 3 that could be prepared; raise it in php.ini and reload FPM
-- a reload with room for all
bool(true)
-- few descriptors, for FPM and for a pool
bool(true)
int(1)
bool(true)
Larder: larder.pools = 32, but memory can be prepared for 5 pools only (Too many open files); the others will be without stores
bool(true)
int(1)
bool(true)
-- a store that only the pool asks for
int(1)
Larder: the immutable store is off: FPM has prepared no memory for it: set it up in php.ini, not only in the pool
-- bad values that are about no store
bool(true)
int(1)
Larder: larder.entries_hint = "-5": must be a number from 0 to 4294967295; stores begin small and grow
Larder: larder.resident_size = "8 MB": must be 0 or a number of bytes: write 8M; no objects are kept in workers
Larder: larder.statics = "maybe": must be on or off; static properties keep nothing
Larder: larder.statics_interval = "1.5": must be a number of milliseconds from 0 to 3600000; it is 10
-- larder.pools
Warning: larder.pools = "0": must be a number from 1 to 1024; FPM pools have no stores without larder.scope in Unknown on line 0
Warning: larder.pools = "1025": must be a number from 1 to 1024; FPM pools have no stores without larder.scope in Unknown on line 0
Warning: larder.pools = "-1": must be a number from 1 to 1024; FPM pools have no stores without larder.scope in Unknown on line 0
Warning: larder.pools = "many": must be a number from 1 to 1024; FPM pools have no stores without larder.scope in Unknown on line 0
