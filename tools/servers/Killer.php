<?php

declare(strict_types=1);

namespace Servers;

/** Kills a worker at random some twenty times a second, as long as it is called often. */
final class Killer
{
    private const EVERY = 0.05;

    public int $kills = 0;
    private ?float $next = null;

    public function __construct(private readonly Web $servers)
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
        if ($workers !== [] && posix_kill($workers[array_rand($workers)], SIGKILL)) {
            $this->kills++;
        }
    }
}
