<?php

/* memory.php - measures the memory of 100,000 sessions of 1 KB. Checks that writes of other sessions free the expired ones.
 *   php -n -d extension=php/modules/larder.so bench/sessions/memory.php */

declare(strict_types=1);

use Larder\Sessions;

const SESSIONS = 100000, BYTES = 1000;

if (getenv('LARDER_BENCH') === false) { // PHP reads the store's size only when it starts
    preg_match('~ (/\S+/larder\.so)$~m', file_get_contents('/proc/self/maps'), $found);
    putenv('LARDER_BENCH=1');
    passthru(implode(' ', array_map(escapeshellarg(...), [
        PHP_BINARY, '-n', '-d', "extension=$found[1]", '-d', 'larder.session_size=512M', '-d', 'session.save_handler=larder',
        '-d', 'session.use_cookies=0', '-d', 'session.cache_limiter=',
        '-d', 'session.gc_probability=0', '-d', 'session.save_path=/var/lib/php/sessions', __FILE__,
    ])), $status);
    exit($status);
}

ob_start();
$write = function (string $id, int $seconds = 100000): void {
    ini_set('session.gc_maxlifetime', (string) $seconds);
    session_id($id);
    session_start();
    $_SESSION['text'] = str_repeat('x', BYTES - strlen('text|s:985:"";'));
    session_write_close();
};
$taken = function (): int { // bytes that the kernel has allocated for the store
    foreach (glob('/proc/self/fd/*') as $fd) {
        if (str_contains((string) @readlink($fd), 'memfd:larder')) {
            $bytes[] = stat($fd)['blocks'] * 512;
        }
    }
    return max($bytes);
};
$write('first');
$before = [Sessions::info()->shared_memory, Sessions::info()->used_memory, $taken()];
for ($i = 0; $i < SESSIONS; $i++) {
    $write(md5((string) $i));
}
$after = [Sessions::info()->shared_memory, Sessions::info()->used_memory, $taken()];
$each = array_map(fn(int $now, int $then): float => ($now - $then) / SESSIONS, $after, $before);
Sessions::count() === SESSIONS + 1 || exit(1);
$said = sprintf("%d sessions of %d bytes, ids of 32 characters, a save path of 21: %.0f bytes each in blocks, %.0f in pages, %.0f of memory in all\n", SESSIONS, BYTES, $each[1], $each[0], $each[2]);

$gone = Sessions::info()->expirations;
for ($i = 0; $i < SESSIONS / 10; $i++) {
    $write("short$i", 1);
}
usleep(1200000);
$left = SESSIONS / 10 + $gone - Sessions::info()->expirations;
$start = hrtime(true);
for ($n = 0; Sessions::info()->expirations - $gone < SESSIONS / 10 && $n < SESSIONS; $n += 100) {
    for ($i = 0; $i < 100; $i++) {
        $write(md5((string) ($n + $i)));
    }
}
$seconds = (hrtime(true) - $start) / 1e9;
ob_end_clean();
echo $said;
printf("%d expired ones were gone after %d writes of other sessions, %.2f s, without gc\n", $left, $n, $seconds);
