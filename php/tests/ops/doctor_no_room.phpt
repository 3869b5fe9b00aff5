--TEST--
larder: ops: the doctor finds that inodes or bytes are used up where stores lie, and what to do on a file system that is smaller than the stores
--EXTENSIONS--
larder
--SKIPIF--
<?php
require __DIR__ . '/../include/fpm.php';
fpm_skip('www-data');
if (posix_geteuid() !== 0) die('skip needs root, to mount');
if (trim(shell_exec('unshare -m sh -c "mount -t tmpfs -o size=64m,nr_inodes=9 none /dev/shm && stat -f -c %c /dev/shm" 2>/dev/null') ?? '') !== '9') die('skip needs the right to mount');
if (!is_file(ini_get('extension_dir') . '/posix.so') && !extension_loaded('posix')) die('skip needs posix');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder(0755);
mkdir("$folder/shm", 0755);
/* Runs code with a tmpfs on FOLDER/shm. Only this code sees the tmpfs. */
$pool = 'larder-' . posix_getpwnam('www-data')['uid'];
$on = function (string $options, string $code) use ($folder, $pool): void {
    file_put_contents("$folder/run.sh", "mount -t tmpfs -o $options,mode=1777 none $folder/shm && exec \"\$@\"\n");
    $posix = is_file(ini_get('extension_dir') . '/posix.so') ? '-d extension=' . ini_get('extension_dir') . '/posix.so' : '';
    $settings = "$posix -d larder.path=$folder/shm -d larder.scope=s -d log_errors=1 -d error_log=";
    $code = "const FOLDER = '$folder'; require '" . __DIR__ . "/../include/ops.php'; require '" . __DIR__ . "/../include/fpm.php'; $code";
    echo "-- $options\n", preg_replace('/\d+(?= KiB more| KiB of them)/', 'N', strtr(ops_php($settings, $code, "unshare -m sh $folder/run.sh"), [$folder => 'FOLDER', "/$pool/" => '/larder-POOL/', "/$pool " => '/larder-POOL ']));
};
$doctor = <<<'CODE'
    function doctor(string ...$more) {
        $words = ops_command('doctor', '--json', ...$more);
        array_splice($words, -3 - count($more), 0, ['-d', 'larder.path=' . FOLDER . '/shm', '-d', 'larder.scope=s', ...($GLOBALS['settings'] ?? [])]);
        exec(implode(' ', array_map('escapeshellarg', $words)) . ' 2>/dev/null', $lines);
        foreach (json_decode(implode("\n", $lines), true)['findings'] as $f) if ($f['check'] === 'folder' || $f['check'] === 'stores' && $f['level'] === 'wrong')
            echo "$f[level] [$f[check]] $f[text]\n  ", preg_replace('~ /\S+/\w[\w.-]*\.ini\b~', ' INI', $f['where']), ": $f[line]\n";
    }
    CODE;
$on('size=512m,nr_inodes=1', "V::set('k', 1); $doctor doctor();");
$on('size=512m,nr_inodes=3', "V::set('k', 1); $doctor doctor();");
$on('size=512m,nr_inodes=5', "var_dump(V::set('k', 1), P::set('k', 1)); $doctor doctor();");
$on('size=512m,nr_inodes=8', "var_dump(V::set('k', 1), P::set('k', 1)); $doctor doctor();");
$on('size=512m,nr_inodes=9', "V::set('k', 1); P::set('k', 1); Larder\\Queue::open('q')->push(1); \$settings = ['-d', 'larder.compat=apcu', '-d', 'apc.enable_cli=1']; $doctor doctor();");
foreach (['size=512m,nr_inodes=1', 'size=512m,nr_inodes=2'] as $options) {
    $on($options, $doctor . <<<'CODE'
    $fpm = fpm(['www' => ['php_admin_value[larder.path]' => FOLDER . '/shm', 'php_admin_value[larder.scope]' => 's']]);
    ob_start();
    doctor('--fpm', $fpm->socket('www'));
    echo preg_replace('~^.*-d larder.path.*\n~m', '', ob_get_clean());
    CODE);
}
/* Other files fill the file system, so stores cannot be created, or cannot grow. */
$on('size=200m', "exec('fallocate -l ' . ((200 << 20) - 65536) . ' ' . FOLDER . '/shm/other'); V::set('k', 1); $doctor doctor();");
$on('size=200m', "V::set('k', 1); exec('fallocate -l ' . (disk_free_space(FOLDER . '/shm') - 65536) . ' ' . FOLDER . '/shm/other'); $doctor doctor();");
$on('size=200m', "V::set('k', 1); P::set('k', 1); Larder\\Queue::open('q')->push(1); exec('fallocate -l ' . (disk_free_space(FOLDER . '/shm') - 65536) . ' ' . FOLDER . '/shm/other'); $doctor doctor();");
/* The file system is smaller than the stores. */
foreach (['64k', '5m', '48m', '64m'] as $size) {
    $on("size=$size", "$doctor doctor();");
}
?>
--EXPECT--
-- size=512m,nr_inodes=1
Larder: the volatile store is off: FOLDER/shm/larder-0 cannot be made: No space left on device; df -i and df -h show whether inodes or bytes are used up there
wrong [folder] the stores volatile, pinned, queue are not there yet, and need 7 inodes, but FOLDER/shm has only 0 free of 1
  remove files there, or run: sudo mount -o remount,nr_inodes=1024 FOLDER/shm
-- size=512m,nr_inodes=3
Larder: the volatile store is off: LRD_ESYS: a system call failed: FOLDER/shm/larder-0/s-volatile: cannot be made: all 3 inodes of the file system are in use (df -i): remove files there, or choose another
wrong [folder] the stores volatile, pinned, queue are not there yet, and need 6 inodes, but FOLDER/shm has only 0 free of 3
  remove files there, or run: sudo mount -o remount,nr_inodes=1024 FOLDER/shm
-- size=512m,nr_inodes=5
Larder: the pinned store is off: LRD_ESYS: a system call failed: FOLDER/shm/larder-0/s-pinned: cannot be made: all 5 inodes of the file system are in use (df -i): remove files there, or choose another
bool(true)
bool(false)
wrong [folder] the stores pinned, queue are not there yet, and need 4 inodes, but FOLDER/shm has only 0 free of 5
  remove files there, or run: sudo mount -o remount,nr_inodes=1024 FOLDER/shm
-- size=512m,nr_inodes=8
bool(true)
bool(true)
-- size=512m,nr_inodes=9
wrong [folder] the apcu store is not there yet, and needs 2 inodes, but FOLDER/shm has only 1 free of 9
  remove files there, or run: sudo mount -o remount,nr_inodes=1024 FOLDER/shm
-- size=512m,nr_inodes=1
wrong [folder] the stores volatile, pinned, queue are not there yet, and need 7 inodes, but FOLDER/shm has only 0 free of 1
  remove files there, or run: sudo mount -o remount,nr_inodes=1024 FOLDER/shm
wrong [folder] the volatile store is off: FOLDER/shm/larder-POOL cannot be made: No space left on device; df -i and df -h show whether inodes or bytes are used up there
  see which are used up, and remove files there: df -i FOLDER/shm; df -h FOLDER/shm
-- size=512m,nr_inodes=2
wrong [folder] the stores volatile, pinned, queue are not there yet, and need 7 inodes, but FOLDER/shm has only 0 free of 2
  remove files there, or run: sudo mount -o remount,nr_inodes=1024 FOLDER/shm
wrong [folder] the volatile store is off: LRD_ESYS: a system call failed: FOLDER/shm/larder-POOL/s-volatile: cannot make its .lock file: all 2 inodes of the file system are in use (df -i): remove files there, or choose another
  remove files there, or run: sudo mount -o remount,nr_inodes=1024 FOLDER/shm
-- size=200m
Larder: the volatile store is off: LRD_ENOSPC: no space on the file system of the segment; free some or choose another: FOLDER/shm/larder-0/s-volatile: N KiB more: No space left on device; with the most entries and threads, the segment takes 293 MiB; the file system has 200 MiB, N KiB of them free; lower larder.volatile_size, or set another larder.path
wrong [folder] the stores volatile, pinned, queue are not there yet, and need 768K to begin, but FOLDER/shm has 64.0K free of 200M
  see what fills it, and remove what is not needed: sudo du -xa FOLDER/shm | sort -n | tail
-- size=200m
wrong [folder] the stores pinned, queue are not there yet, and need 512K to begin, but FOLDER/shm has 64.0K free of 200M
  see what fills it, and remove what is not needed: sudo du -xa FOLDER/shm | sort -n | tail
-- size=200m
wrong [folder] the stores volatile, pinned, queue may take 112M more, but FOLDER/shm has 64.0K free of 200M
  see what fills it, and remove what is not needed: sudo du -xa FOLDER/shm | sort -n | tail
-- size=64k
wrong [folder] the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M), but FOLDER/shm has only 64.0K (in a container: docker run --shm-size)
  to have room for them, run: sudo mount -o remount,size=144M FOLDER/shm
-- size=5m
wrong [folder] the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M), but FOLDER/shm has only 5.0M (in a container: docker run --shm-size)
  to have room for them, run: sudo mount -o remount,size=144M FOLDER/shm
-- size=48m
wrong [folder] the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M), but FOLDER/shm has only 48.0M (in a container: docker run --shm-size)
  to have room for them, run: sudo mount -o remount,size=144M FOLDER/shm
-- size=64m
wrong [folder] the stores may take 112M (volatile 64.0M, pinned 32.0M, queue 16.0M), but FOLDER/shm has only 64.0M (in a container: docker run --shm-size)
  write into INI: larder.volatile_size = 16M