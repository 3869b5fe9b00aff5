<?php

declare(strict_types=1);

namespace Servers;

/** Kills a random worker at each call, but at most twenty times a second. Call it often. */
final class Killer
{
    private const EVERY = 0.05;

    public int $kills = 0;
    private ?float $next = null;

    public function __construct(private readonly Site $servers)
    {
    }

    public function __invoke(): void
    {
        $this->next ??= microtime(true) + self::EVERY;
        if (microtime(true) < $this->next) {
            return;
        }
        $this->next += self::EVERY;
        $workers = $this->servers->workers();
        if ($workers !== [] && self::kill($workers[array_rand($workers)])) {
            $this->kills++;
        }
    }

    /**
     * Kills a worker that does not hold the lock of FPM's scoreboard. If the worker died with this lock, the master would wait for ever.
     * The lock is in shared memory, 16 bytes before the pool's name. Returns false if the worker holds the lock or has ended.
     */
    private static function kill(int $pid): bool
    {
        if (!posix_kill($pid, SIGSTOP)) {
            return false;
        }
        for ($i = 0; $i < 1000 && preg_match('/^\d+ \(.*\) [TXZ]/s', (string) @file_get_contents("/proc/$pid/stat")) !== 1; $i++) {
            usleep(100);
        }
        $locked = self::isLocked($pid);
        return posix_kill($pid, $locked ? SIGCONT : SIGKILL) && !$locked;
    }

    private static function isLocked(int $pid): bool
    {
        $pool = preg_match('/^php-fpm: pool (\w+)/', (string) @file_get_contents("/proc/$pid/cmdline"), $match) ? $match[1] : '';
        $memory = @fopen("/proc/$pid/mem", 'r');
        preg_match_all('~^([0-9a-f]+)-\S+ rw-s .*/dev/zero~m', (string) @file_get_contents("/proc/$pid/maps"), $maps);
        foreach ($memory ? $maps[1] : [] as $start) {
            stream_set_read_buffer($memory, 0);
            fseek($memory, (int) hexdec($start));
            $board = (string) fread($memory, 48);
            if (rtrim(substr($board, 16), "\0") === $pool && unpack('V', $board)[1] !== 0) {
                return true;
            }
        }
        return false;
    }
}
