--TEST--
larder: errors: where a full file system has no room for a process, an open store says so
--EXTENSIONS--
larder
posix
--SKIPIF--
<?php
if (trim(shell_exec('unshare -m sh -c "mount -t tmpfs -o size=16m none /dev/shm && echo ok" 2>/dev/null') ?? '') !== 'ok') die('skip needs the right to mount');
?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
/* The first process makes the stores. Then another file fills the file system, so further processes find no room for their slots. */
$folder = ops_folder();
file_put_contents("$folder/run.sh", <<<'SH'
mount -t tmpfs -o size=16m none /dev/shm
"$@" 'Larder\PinnedCache::set("k", 1); Larder\Queue::open("q")->push(1); for ($i = 0, touch("/dev/shm/made"); $i < 300 && !file_exists("/dev/shm/end"); $i++) usleep(100000);' &
for i in $(seq 300); do [ -e /dev/shm/made ] && break; sleep 0.1; done
dd if=/dev/zero of=/dev/shm/fill bs=4k 2>/dev/null
"$@" '
    var_dump(Larder\PinnedCache::set("k", 2), Larder\PinnedCache::get("k"), Larder\PinnedCache::info()->available);
    echo Larder\PinnedCache::info()->failure_reason, "\n";
    try {
        Larder\Queue::open("q");
    } catch (Larder\StaticCacheException $e) {
        echo $e->getMessage(), "\n";
    }
    unlink("/dev/shm/fill");
    usleep(300000);
    var_dump(Larder\PinnedCache::set("k", 2), Larder\PinnedCache::get("k"), Larder\PinnedCache::info()->failure_reason);
'
touch /dev/shm/end
wait
SH);
$words = ['unshare', '-m', 'sh', "$folder/run.sh", ...array_slice(ops_command(), 0, -1)];
foreach (['larder.scope' => 'full', 'larder.queue_size' => '4M', 'larder.pinned_size' => '4M', 'log_errors' => '1', 'error_log' => '', 'auto_prepend_file' => ''] as $name => $value) {
    array_push($words, '-d', "$name=$value");
}
passthru('timeout 60 ' . implode(' ', array_map(escapeshellarg(...), [...$words, '-r'])) . ' 2>&1');
?>
--EXPECTF--
Larder: this process cannot use the pinned store: LRD_ENOSLOT: all slots are taken: raise slots or run fewer threads: /dev/shm/larder-%d/full-pinned: %d KiB more: No space left on device; with the most entries and threads, the segment takes %d MiB; the file system has 16 MiB, 0 KiB of them free
bool(false)
NULL
bool(false)
LRD_ENOSLOT: all slots are taken: raise slots or run fewer threads: a moment ago no slot could be claimed: none of 4096 was free, there was no room for one, or a process that is stopped was making one
Larder: this process cannot use the queue store: LRD_ENOSLOT: all slots are taken: raise slots or run fewer threads: /dev/shm/larder-%d/full-queue: %d KiB more: No space left on device; with the most entries and threads, the segment takes %d MiB; the file system has 16 MiB, 0 KiB of them free
Queues are off: LRD_ENOSLOT: all slots are taken: raise slots or run fewer threads: /dev/shm/larder-%d/full-queue: %d KiB more: No space left on device; with the most entries and threads, the segment takes %d MiB; the file system has 16 MiB, 0 KiB of them free
bool(true)
int(2)
NULL
