<?php

declare(strict_types=1);

namespace Larder\Work;

use Larder\Cache\Printable;

/** `larder-work NAME handler.php`: handles the messages of a queue. */
final class Command
{
    public const USAGE = <<<'TEXT'
        usage: larder-work NAME HANDLER [OPTION...]

        Handles the messages of the queue NAME. HANDLER is a PHP file that returns a
        callable. It gets the body and the Larder\Message. The message is acknowledged
        when the callable returns, and released when it throws.

          --processes=N     number of processes (default 1)
          --memory=SIZE     replace a process that takes more (default 128M; 0: never)
          --messages=N      replace a process after N messages (default 0: never)
          --tries=N         attempts until a message has failed (default 0: no limit)
          --delay=SECONDS   pause before the next attempt (default 0)
          --dead=NAME       push failed messages into this queue (default: bury them)
          --time-to-run=S   give a message to another process after S seconds
                            (default 0: not while its process lives)
          --grace=SECONDS   time to finish when asked to stop (default 30)
          --once            end when no message is ready

        SIGTERM and SIGINT stop it. SIGHUP replaces the processes, which load HANDLER
        again. It must use the stores of the processes that push: php -d
        larder.scope=NAME, as in their php.ini.

        TEXT;

    /** @param list<string> $arguments */
    public static function main(array $arguments): int
    {
        try {
            $options = self::parse($arguments);
        } catch (\InvalidArgumentException $error) {
            if ($error->getMessage() === '') { // --help
                fwrite(\STDOUT, self::USAGE);
                return 0;
            }
            fwrite(\STDERR, 'larder-work: ' . Printable::line($error->getMessage()) . "\n\n" . self::USAGE);
            return 2;
        }
        foreach (['larder', 'pcntl', 'posix'] as $extension) {
            if (!\extension_loaded($extension)) {
                fwrite(\STDERR, "larder-work: the extension $extension is not loaded\n");
                return 1;
            }
        }
        $log = static fn(string $text) => @fwrite(\STDERR, date('[Y-m-d H:i:s] ') . Printable::line("{$options->queue}: $text") . "\n");
        // Look only at the settings, because only the child processes open the store.
        if (\ini_get('larder.path') === '' && \ini_get('larder.scope') === '') {
            $log('the store of this queue is anonymous: no other process can push to it. Start larder-work with php -d larder.scope=NAME, the scope of the processes that push');
        }
        return (new Supervisor($options, $log))->run();
    }

    /** Exit codes. EMPTY: the queue was empty (with --once). UNABLE: the handler's file or the store cannot be used. */
    public const EMPTY = 80;
    public const UNABLE = 78;

    /** Handles messages in this process. $supervisor is the id of the process that has started this one. */
    public static function work(Options $options, \Closure $log, int $supervisor): int
    {
        $handler = require $options->handler;
        if (!\is_callable($handler)) {
            $log("{$options->handler} returns no callable");
            return self::UNABLE;
        }
        return (new Worker($options, $handler, $log, $supervisor))->run() ? self::EMPTY : 0;
    }

    /** @param list<string> $arguments */
    public static function parse(array $arguments): Options
    {
        if (array_intersect($arguments, ['-h', '--help']) !== []) {
            throw new \InvalidArgumentException();
        }
        $given = new Arguments($arguments);
        if (\count($given->places) !== 2) {
            throw new \InvalidArgumentException('give the name of a queue and a file');
        }
        $dead = $given->text('dead');
        if ($dead === $given->places[0]) {
            throw new \InvalidArgumentException('--dead must be another queue');
        }
        $options = new Options(
            self::queue($given->places[0]),
            self::file($given->places[1]),
            processes: $given->number('processes', 1, 1),
            memory: $given->bytes('memory', 128 << 20),
            messages: $given->number('messages', 0, 0),
            tries: $given->number('tries', 0, 0),
            delay: $given->seconds('delay', 0),
            dead: $dead !== null ? self::queue($dead) : null,
            timeToRun: $given->seconds('time-to-run', 0),
            grace: $given->seconds('grace', 30),
            once: $given->flag('once'),
        );
        $given->none();
        return $options;
    }

    private static function queue(string $name): string
    {
        if ($name === '' || \strlen($name) > 200) {
            throw new \InvalidArgumentException('the name of a queue has 1 to 200 bytes');
        }
        return $name;
    }

    private static function file(string $path): string
    {
        $file = realpath($path);
        if ($file === false || !is_file($file)) {
            throw new \InvalidArgumentException("$path: there is no such file");
        }
        return $file;
    }
}
