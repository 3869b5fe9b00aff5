<?php

declare(strict_types=1);

namespace Larder\Ops;

/** The words and options of a command line. */
final class Options
{
    /** Option => [short name, argument or "", help]. */
    public const ALL = [
        'scope' => ['s', 'NAME', 'use the named stores of larder.scope = NAME'],
        'folder' => ['', 'DIR', 'their folder (larder.path), if it is not /dev/shm'],
        'path' => ['p', 'FILE', 'use the store in this file, of any kind'],
        'user' => ['u', 'USER', 'use the stores of this user; needs root, which becomes that user first'],
        'fpm' => ['f', 'ADDRESS', 'use the stores of the FPM pool that listens on this socket or HOST:PORT'],
        'fpm-file' => ['', 'FILE', 'this program, under a name that the pool can read'],
        'store' => ['S', 'STORE', 'volatile, pinned, immutable, apcu, session or queue; without it, stats and ping show all stores, and other commands use volatile'],
        'pool' => ['', 'NAME', 'only entries of this Larder\Pool'],
        'prefix' => ['', 'P', 'only entries whose keys begin with P'],
        'order' => ['o', 'ORDER', 'size (default of top), uses, age, ttl or key'],
        'limit' => ['n', 'N', 'at most N entries or messages (default: top 10, else all)'],
        'interval' => ['i', 'SECONDS', 'time between two lines of watch (default 2)'],
        'count' => ['c', 'N', 'end after N lines of watch'],
        'json' => ['j', '', 'print JSON instead of a table'],
        'openmetrics' => ['', '', 'print the text format of OpenMetrics'],
        'long' => ['l', '', 'print a table with the form, the sizes and the uses of each entry'],
        'null' => ['0', '', 'end keys with a zero byte, and do not escape them'],
        'raw' => ['r', '', 'print the bytes of the value, not escaped for a terminal'],
        'help' => ['h', '', 'print this text'],
        'version' => ['V', '', 'print the version'],
    ];

    /** The options of every command that works on one store. They choose the store, and the way to reach it. */
    public const COMMON = ['scope', 'folder', 'path', 'user', 'fpm', 'fpm-file', 'store'];

    /** Groups of options. Only one option of a group may be given. */
    private const APART = [['scope', 'path', 'fpm'], ['folder', 'path', 'fpm'], ['json', 'openmetrics'], ['json', 'null'], ['json', 'raw'], ['long', 'null']];

    /** @var list<string> */
    public array $words = [];

    /** @var array<string, string|true> */
    private array $values = [];

    /** @var array<string, list<string>> */
    private array $all = [];

    /** @param list<string> $given */
    public function __construct(private array $given)
    {
        $arguments = $given;
        while (($argument = array_shift($arguments)) !== null) {
            if ($argument === '--') {
                array_push($this->words, ...$arguments);
                break;
            }
            if (!str_starts_with($argument, '-') || $argument === '-') {
                $this->words[] = $argument;
                continue;
            }
            $this->take($argument, $arguments);
        }
    }

    /** @param list<string> $rest */
    private function take(string $argument, array &$rest): void
    {
        [$name, $value] = explode('=', $argument, 2) + [1 => null];
        if (!str_starts_with($name, '--') && strlen($name) > 2 && isset(self::ALL[$this->long(substr($name, 0, 2))])) { // -n20
            [$name, $value] = [substr($argument, 0, 2), substr($argument, 2)];
        }
        $name = str_starts_with($name, '--') ? substr($name, 2) : $this->long($name);
        if (!isset(self::ALL[$name])) {
            throw Failure::usage("unknown option $argument; see larder --help");
        }
        if (self::ALL[$name][1] === '') {
            $value === null || throw Failure::usage("--$name takes no value");
            $this->values[$name] = true;
            return;
        }
        $value ??= array_shift($rest) ?? throw Failure::usage("--$name needs " . self::ALL[$name][1]);
        $this->values[$name] = $value;
        $this->all[$name][] = $value;
    }

    private function long(string $short): string
    {
        foreach (self::ALL as $name => [$letter]) {
            if ($letter !== '' && $short === "-$letter") {
                return $name;
            }
        }
        return $short;
    }

    /**
     * Refuses options that the command would ignore. Without --pool, for example, "del" would delete the wrong entry.
     * @param list<string> $own
     * @param list<string> $common
     */
    public function check(string $command, array $own, array $common = self::COMMON): void
    {
        foreach (array_diff(array_keys($this->values), $common, $own) as $name) {
            throw Failure::usage("larder $command takes no --$name");
        }
        foreach (self::APART as $names) {
            $given = array_filter($names, $this->has(...));
            if (count($given) > 1) {
                $last = array_pop($names);
                throw Failure::usage('only one of --' . implode(', --', $names) . " and --$last may be given");
            }
        }
        if ($this->has('fpm-file') && !$this->has('fpm')) {
            throw Failure::usage('--fpm-file takes --fpm');
        }
    }

    public function has(string $name): bool
    {
        return isset($this->values[$name]);
    }

    public function text(string $name): ?string
    {
        return isset($this->values[$name]) ? (string) $this->values[$name] : null;
    }

    /** Returns the command line, quoted for a shell. */
    public function line(): string
    {
        return implode(' ', array_map(static fn(string $word): string => preg_match('~^[\w./:=@%+,-]+$~D', $word) ? $word : escapeshellarg($word), $this->given));
    }

    /** @return list<string> */
    public function texts(string $name): array
    {
        return $this->all[$name] ?? [];
    }

    /** Parses a whole number. */
    public function count(string $name, int $default, int $from): int
    {
        $text = $this->text($name) ?? (string) $default;
        if (!preg_match('/^\d{1,9}$/D', $text) || (int) $text < $from) {
            throw Failure::usage("--$name $text: a whole number from $from to 999999999 is expected");
        }
        return (int) $text;
    }

    public function number(string $name, float $default, float $from): float
    {
        $text = $this->text($name) ?? (string) $default;
        if (!is_numeric($text) || $text < $from || $text > 1e9) {
            throw Failure::usage("--$name $text: a number from $from " . (is_numeric($text) && $text > $from ? 'to 1e9' : 'on') . ' is expected');
        }
        return (float) $text;
    }
}
