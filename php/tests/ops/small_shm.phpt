--TEST--
larder: ops: a /dev/shm of 64 MB, as containers have it, is warned of once with what it holds, and used
--EXTENSIONS--
larder
--SKIPIF--
<?php
if (trim(shell_exec('unshare -m sh -c "mount -t tmpfs -o size=64m none /dev/shm && echo ok" 2>/dev/null') ?? '') !== 'ok') die('skip needs the right to mount');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$code = '
    for ($i = 0; $i < 30000; $i++) {
        V::set("key $i", str_repeat(chr(65 + $i % 26), 3000)) && V::get("key $i") === str_repeat(chr(65 + $i % 26), 3000) || die("key $i is wrong\n");
    }
    $info = V::info();
    var_dump($info->available, $info->refusals, $info->evictions > 0, V::get("key 29999") !== null);
';
file_put_contents($script = ops_folder() . '/run.sh', "mount -t tmpfs -o size=64m none /dev/shm && exec \"\$@\"\n");
echo ops_php('-d log_errors=1 -d error_log= -d larder.scope=small -d larder.volatile_size=64M -d larder.form=ready', $code, "unshare -m sh $script");
--EXPECTF--
Larder: %sa store of 64 MiB on a file system of 64 MiB, of which %d MiB are free, holds only that much
bool(true)
int(0)
bool(true)
bool(true)
