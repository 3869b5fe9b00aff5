--TEST--
larder: signals: a process that gets thousands of them, a few microseconds apart, runs on, and each handler gets what was sent
--EXTENSIONS--
larder
posix
--SKIPIF--
<?php if (!function_exists('pcntl_async_signals')) die('skip needs pcntl'); ?>
--FILE--
<?php
/* LARDER_SIGNALS: number of signals of each kind, e.g. 80000. LARDER_SIGNALS_GAP: microseconds between two signals, e.g. 1000. */
$wanted = (int) (getenv('LARDER_SIGNALS') ?: 8000);
$gap = (int) (getenv('LARDER_SIGNALS_GAP') ?: 20);
$got = $wrong = 0;
$senders = [];
$me = getmypid();
pcntl_async_signals(true);
pcntl_signal(SIGUSR1, function (int $signal, $info) use (&$got, &$wrong, &$senders) {
    $got++;
    $senders[$info['pid']] = true;
    $wrong += $info['signo'] !== SIGUSR1 || $info['uid'] !== posix_getuid();
});
$value = range(1, 200);
if (!($child = pcntl_fork())) {
    while (posix_getppid() === $me) {
        posix_kill($me, SIGUSR1);
        usleep($gap);
    }
    posix_kill(getmypid(), SIGKILL);
}
for ($i = 0; $got < $wanted; $i++) {
    if (!Larder\VolatileCache::set('k', $value) || Larder\VolatileCache::get('k') !== $value) {
        echo "call $i failed\n";
        break;
    }
}
posix_kill($child, SIGKILL);
while (pcntl_waitpid($child, $status) !== $child);
$wrong += array_keys($senders) !== [$child];
echo 'SIGUSR1: ', $got >= $wanted ? 'all' : $got, ", $wrong wrong\n";

/* One signal may stand for several ended children, so the handler waits for all. */
$got = $wrong = $handled = 0;
pcntl_signal(SIGCHLD, function (int $signal, $info) use (&$got, &$wrong, &$handled) {
    $handled++;
    $wrong += $info['signo'] !== SIGCHLD || $info['pid'] <= 0;
    while (pcntl_wait($status, WNOHANG) > 0) {
        $got++;
    }
});
$value = range(1, 2000);
for ($i = $children = 0; $handled < max(1000, intdiv($wanted, 25)); $i++) {
    if ($i % 40 === 0) {
        if (!pcntl_fork()) {
            usleep(mt_rand(0, 3000));
            posix_kill(getmypid(), SIGKILL);
        }
        $children++;
    }
    Larder\VolatileCache::set('k', $value);
    Larder\VolatileCache::get('k');
}
echo "SIGCHLD: $wrong wrong\n";
?>
--EXPECT--
SIGUSR1: all, 0 wrong
SIGCHLD: 0 wrong
