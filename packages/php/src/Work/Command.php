<?php

declare(strict_types=1);

namespace Larder\Work;

/** `larder-work NAME handler.php`: works off a queue. */
final class Command
{
    public const USAGE = <<<'TEXT'
        usage: larder-work NAME HANDLER [OPTION...]

        Handles the messages of the queue NAME. HANDLER is a PHP file that returns a callable, which is given the body
        and the Larder\Message; the message is acknowledged when it returns, and released when it throws.

          --processes=N     so many processes (1)
          --memory=SIZE     a process is replaced when it has taken more, e.g. 256M (128M); 0: never
          --messages=N      a process is replaced after so many (0: never)
          --tries=N         a message that was handled so often in vain has failed (0: tried for ever)
          --delay=SECONDS   before it is tried again (0)
          --dead=NAME       queue for those that failed; without it they are buried
          --time-to-run=S   after so long another process gets a message (0: not while its process lives)
          --grace=SECONDS   that processes have to finish when they are to stop (30)
          --once            end when the queue is empty

        SIGTERM and SIGINT stop it, SIGHUP replaces the processes, which load HANDLER anew. It has to use the stores of
        those who push: php -d larder.scope=NAME, as in their php.ini.

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
            fwrite(\STDERR, "larder-work: {$error->getMessage()}\n\n" . self::USAGE);
            return 2;
        }
        foreach (['larder', 'pcntl', 'posix'] as $extension) {
            if (!\extension_loaded($extension)) {
                fwrite(\STDERR, "larder-work: the extension $extension is not loaded\n");
                return 1;
            }
        }
        $log = static fn(string $text) => @fwrite(\STDERR, date('[Y-m-d H:i:s] ') . "{$options->queue}: $text\n");
        return (new Supervisor($options, $log))->run();
    }

    /** Exit codes of a process: the queue was empty (--once); it cannot work, because of the handler's file or the store. */
    public const EMPTY = 80;
    public const UNABLE = 78;

    /** In a process of its own. */
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
        $places = [];
        $given = [];
        foreach ($arguments as $argument) {
            if ($argument === '-h' || $argument === '--help') {
                throw new \InvalidArgumentException();
            }
            if (!str_starts_with($argument, '--')) {
                $places[] = $argument;
                continue;
            }
            [$name, $value] = explode('=', substr($argument, 2), 2) + [1 => null];
            $given[$name] = $value;
        }
        if (\count($places) !== 2) {
            throw new \InvalidArgumentException('give the name of a queue and a file');
        }
        $handler = realpath($places[1]);
        if ($handler === false || !is_file($handler)) {
            throw new \InvalidArgumentException("$places[1]: there is no such file");
        }
        $take = static function (string $name) use (&$given): ?string {
            if (!\array_key_exists($name, $given)) {
                return null;
            }
            $value = $given[$name] ?? throw new \InvalidArgumentException("--$name needs a value: --$name=...");
            unset($given[$name]);
            return $value;
        };
        $number = static function (string $name, int $least, int $default) use ($take): int {
            $value = $take($name);
            if ($value === null) {
                return $default;
            }
            $factor = 1;
            if ($name === 'memory' && preg_match('/^(\d+)([KMG])$/i', $value, $match)) {
                [$value, $factor] = [$match[1], ['K' => 1 << 10, 'M' => 1 << 20, 'G' => 1 << 30][strtoupper($match[2])]];
            }
            if (!ctype_digit($value) || \strlen($value) > 12 || (int) $value < $least || (float) $value * $factor >= \PHP_INT_MAX) {
                throw new \InvalidArgumentException("--$name must be a number from $least on");
            }
            return (int) $value * $factor;
        };
        $seconds = static function (string $name, float $default) use ($take): float {
            $value = $take($name);
            if ($value === null) {
                return $default;
            }
            if (!is_numeric($value) || !is_finite((float) $value) || (float) $value < 0) {
                throw new \InvalidArgumentException("--$name must be a number of seconds");
            }
            return (float) $value;
        };
        $dead = $take('dead');
        foreach ([$places[0], $dead ?? $places[0]] as $queue) {
            if ($queue === '' || \strlen($queue) > 200) {
                throw new \InvalidArgumentException('the name of a queue has 1 to 200 bytes');
            }
        }
        if ($dead === $places[0]) {
            throw new \InvalidArgumentException('--dead must be another queue');
        }
        $once = \array_key_exists('once', $given);
        if (isset($given['once'])) {
            throw new \InvalidArgumentException('--once takes no value');
        }
        unset($given['once']);
        $options = new Options(
            $places[0],
            $handler,
            processes: $number('processes', 1, 1),
            memory: $number('memory', 0, 128 << 20),
            messages: $number('messages', 0, 0),
            tries: $number('tries', 0, 0),
            delay: $seconds('delay', 0),
            dead: $dead,
            timeToRun: $seconds('time-to-run', 0),
            grace: $seconds('grace', 30),
            once: $once,
        );
        if ($given !== []) {
            throw new \InvalidArgumentException('--' . array_key_first($given) . ' is no option');
        }
        return $options;
    }
}
