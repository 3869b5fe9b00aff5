<?php

declare(strict_types=1);

namespace Larder\Ops;

/** The command `larder`: one method for each word. Start with main(). */
final class Command
{
    /** Word => [arguments, help, its options besides those that say which store]. */
    public const WORDS = [
        'doctor' => ['', 'what is wrong with the set-up, and what to write where; also of pools: --fpm', ['json']],
        'stats' => ['', 'memory, hit rate, evictions and refusals of each store', ['prefix', 'json', 'openmetrics']],
        'top' => ['', 'the entries that are largest, or first by --order', ['pool', 'prefix', 'order', 'limit', 'json']],
        'keys' => ['[PREFIX]', 'keys, one a line', ['pool', 'prefix', 'order', 'limit', 'json', 'null']],
        'get' => ['KEY', 'the value of an entry', ['json', 'raw']],
        'del' => ['KEY...', 'delete entries', []],
        'clear' => ['', 'delete all entries, or those of --prefix or --pool', ['pool', 'prefix', 'json']],
        'ping' => ['', 'whether the stores can be used; the exit code says it', []],
        'watch' => ['', 'rates, a line every --interval seconds', ['interval', 'count']],
        'warm' => ['FILE', 'run a PHP file that fills the stores; with --fpm in the pool', []],
        'queues' => ['', 'messages of each queue; with --fpm', ['json']],
        'fsck' => ['', 'check every invariant of a store', ['json']],
        'completion' => ['SHELL', 'completion for bash, zsh or fish', []],
        'help' => ['[COMMAND]', 'all commands and options, or those of one command', []],
    ];

    /** Commands that are about no one store: the options that say which they heed all the same. */
    private const OWN = ['doctor' => ['fpm', 'fpm-file', 'user'], 'completion' => [], 'help' => []];

    private Options $options;

    public function __construct(private string $program, private string $version) {}

    /** @param list<string> $arguments */
    public static function main(array $arguments, string $program, string $version): int
    {
        ignore_user_abort(true); // else PHP ends with 255 where nobody reads
        $code = (new self($program, $version))->try($arguments);
        return connection_aborted() === 0 ? $code : max(1, $code);
    }

    /** @param list<string> $arguments */
    private function try(array $arguments): int
    {
        try {
            return $this->run($arguments);
        } catch (Failure $e) {
            self::tell($e->getMessage());
            return $e->getCode();
        } catch (\Throwable $e) {
            self::tell(get_debug_type($e) . ': ' . strtok($e->getMessage(), "\n"));
            return 1;
        }
    }

    /**
     * Puts out what is not all the program's own: other processes, other users' among them, chose names, paths and values.
     * Nothing else may be echoed, but JSON, metrics, and the bytes that --null and --raw ask for.
     */
    private static function put(string $text): void
    {
        echo Text::shown($text);
    }

    /** A line where errors go, if anywhere. */
    private static function tell(string $line): void
    {
        @fwrite(STDERR, 'larder: ' . Text::message($line) . "\n");
    }

    /** @param list<string> $arguments */
    private function run(array $arguments): int
    {
        if (in_array($arguments[0] ?? '', ['work', 'sync'], true)) {
            return $this->other(array_shift($arguments), $arguments);
        }
        $this->options = new Options($arguments);
        $word = array_shift($this->options->words);
        if ($this->options->has('version')) {
            $word === null || throw Failure::usage('larder --version takes no arguments');
            echo "larder {$this->version}\n";
            return 0;
        }
        if ($word === null && !$this->options->has('help')) {
            @fwrite(STDERR, $this->usage());
            return 2;
        }
        if ($this->options->has('help')) {
            echo isset(self::WORDS[$word ?? '']) ? $this->usageOf((string) $word) : $this->usage();
            return 0;
        }
        if (!isset(self::WORDS[$word])) {
            throw Failure::usage("unknown command \"$word\"; expected " . implode(', ', array_keys(self::WORDS)));
        }
        [$form] = self::WORDS[$word];
        $count = count($this->options->words);
        if (($form === '' && $count > 0) || ($form !== '' && $form[0] !== '[' && $count === 0) || (!str_ends_with($form, '...') && $count > 1)) {
            throw Failure::usage("larder $word " . ($form === '' ? 'takes no arguments' : "$form is expected"));
        }
        $this->options->check($word, self::WORDS[$word][2], ...isset(self::OWN[$word]) ? [self::OWN[$word]] : []);
        return match ($word) {
            'doctor' => $this->doctor(),
            'help' => $this->help(),
            'completion' => $this->completion(),
            default => $this->$word(new Target($this->options, $this->program)),
        };
    }

    /**
     * Commands that other packages bring: larder-work and larder-sync, beside this one or in the PATH.
     * @param list<string> $arguments
     */
    private function other(string $word, array $arguments): int
    {
        foreach ([dirname($this->program), ...explode(':', (string) getenv('PATH'))] as $folder) {
            if (is_executable("$folder/larder-$word") && function_exists('pcntl_exec')) {
                pcntl_exec("$folder/larder-$word", $arguments);
            }
        }
        throw Failure::failed("larder $word needs the program larder-$word, of the Composer package larder/cache, in the PATH");
    }

    private function help(): int
    {
        $word = $this->options->words[0] ?? null;
        if ($word !== null && !isset(self::WORDS[$word])) {
            throw Failure::usage("larder help $word: one of " . implode(', ', array_keys(self::WORDS)) . ' is expected');
        }
        echo $word !== null ? $this->usageOf($word) : $this->usage();
        return 0;
    }

    /** @return list<string> names of the options that a command heeds */
    public static function optionsOf(string $word): array
    {
        return [...self::WORDS[$word][2], ...self::OWN[$word] ?? Options::COMMON, 'help'];
    }

    private function usageOf(string $word): string
    {
        [$form, $help] = self::WORDS[$word];
        $text = 'Usage: larder ' . trim("$word $form") . (self::optionsOf($word) !== ['help'] ? ' [OPTION]...' : '') . "\n\n" . ucfirst($help) . ".\n\nOptions\n";
        foreach (self::optionsOf($word) as $name) {
            $text .= self::optionLine($name);
        }
        return $text;
    }

    private static function optionLine(string $name): string
    {
        [$short, $argument, $help] = Options::ALL[$name];
        return sprintf("  %-4s%-20s %s\n", $short !== '' ? "-$short," : '', trim("--$name $argument"), $help);
    }

    private function usage(): string
    {
        $text = "Usage: larder [OPTION]... COMMAND [ARGUMENT]...\n\nLooks at and clears stores of Larder. Looking creates nothing.\n\nCommands\n";
        foreach (self::WORDS as $word => [$form, $help]) {
            $text .= sprintf("  %-18s %s\n", trim("$word $form"), $help);
        }
        $text .= "\nOptions\n";
        foreach (array_keys(Options::ALL) as $name) {
            $text .= self::optionLine($name);
        }
        return $text . "\nlarder work and larder sync run larder-work and larder-sync of the Composer package larder/cache.\nWithout --scope, --path and --fpm the stores are those of larder.scope in php.ini.\nExit code: 0 done, 1 not (nothing found, a store that cannot be used), 2 asked wrongly.\n";
    }

    /**
     * @param array<mixed> $data
     * @param string $maps elements that are {} when they are empty, not []
     */
    private function json(array $data, string ...$maps): void
    {
        echo self::encode($data, ...$maps), "\n";
    }

    /** @param array<mixed> $data */
    private static function encode(array $data, string ...$maps): string
    {
        array_walk_recursive($data, function (mixed &$value): void {
            $value = is_string($value) && !preg_match('//u', $value) ? Text::key($value) : $value;
        });
        foreach ($maps as $map) {
            $data[$map] = (object) $data[$map];
        }
        return Text::json(json_encode($data, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRETTY_PRINT));
    }

    private function doctor(): int
    {
        if ($this->options->has('user')) {
            Target::become((string) $this->options->text('user'));
        }
        $file = $this->options->text('fpm-file') ?? $this->program;
        $findings = Doctor::examine($this->options->texts('fpm'), str_starts_with($file, '/') ? $file : (string) realpath($file));
        $wrong = Doctor::wrong($findings);
        if ($this->options->has('json')) {
            $this->json(['well' => $wrong === 0, 'findings' => $findings]);
        } else {
            self::put(Doctor::text($findings));
        }
        return $wrong === 0 ? 0 : 1;
    }

    /* ---- looking ---- */

    private function stats(Target $target): int
    {
        if ($this->options->has('prefix') && !$this->options->has('openmetrics')) {
            throw Failure::usage('--prefix takes --openmetrics');
        }
        $stats = $target->ask('stats');
        if ($this->options->has('openmetrics')) {
            $prefixes = [];
            foreach (array_map(Text::unkey(...), $this->options->texts('prefix')) as $prefix) {
                try {
                    $prefixes[$prefix] = $target->ask('totals', ['prefix' => $prefix])['totals'];
                } catch (Failure $e) { // the other metrics are none the worse for it
                    self::tell($e->getMessage());
                    break;
                }
            }
            echo OpenMetrics::text($stats, $prefixes);
            return 0; // larder_up says it, and whoever collects the text has to go on
        }
        if ($this->options->has('json')) {
            $this->json($stats, 'stores', 'off');
        } else {
            foreach ($stats['stores'] as $name => $store) {
                self::put($this->describe($name, $store) . "\n");
            }
            foreach ($stats['off'] as $name => $reason) {
                self::tell("$name: $reason");
            }
        }
        return $this->unusable($stats) === [] ? 0 : 1;
    }

    /**
     * Why stores cannot be used, by their names. That a setting switches one off is meant so: it counts where there is no
     * other, or --store names it.
     *
     * @param array<string, mixed> $stats
     * @return array<string, string>
     */
    private function unusable(array $stats): array
    {
        $unreadable = array_filter($stats['stores'], fn(array $store): bool => !$store['readable']);
        $off = array_filter($stats['off'], fn(string $reason, string $name): bool => !preg_match('/ is 0$|: this PHP has no session extension$/', $reason)
            || $stats['stores'] === [] || $this->options->text('store') === $name, ARRAY_FILTER_USE_BOTH);
        return array_map(self::foreign(...), $unreadable) + $off;
    }

    /** @param array<string, mixed> $store whose values this PHP does not read */
    private static function foreign(array $store): string
    {
        return (str_starts_with($store['abi'], 'php') ? 'of another PHP' : 'not of PHP') . " (ABI {$store['abi']}): not read";
    }

    /** @param array<string, mixed> $s */
    private function describe(string $name, array $s): string
    {
        $refused = [];
        foreach ($s['refusal_causes'] as $cause => $count)
            $refused[Text::message(strtr((string) $cause, '_', ' '))] = (int) $count;
        $refused['other'] = $s['refused'] - array_sum($refused);
        $causes = implode(', ', array_map(fn(int $n, string $cause): string => "$cause $n", array_filter($refused), array_keys(array_filter($refused))));
        $rows = [
            ['memory', Text::bytes($s['used']) . ' used (' . Text::percent($s['used'], $s['size']) . '), ' . Text::bytes($s['claimed']) . ' claimed, of ' . Text::bytes($s['size'])],
            ['entries', Text::number($s['entries'])],
            ['reads', Text::number($s['hits']) . ' hits, ' . Text::number($s['misses']) . ' misses (' . Text::percent($s['hits'], $s['hits'] + $s['misses']) . ' hits)' . ($s['copies'] > 0 ? ', ' . Text::number($s['copies']) . ' copied' : '')],
            ['writes', Text::number($s['inserts']) . ' new, ' . Text::number($s['replaces']) . ' replaced, ' . Text::number($s['deletes']) . ' deleted'],
            ['left', Text::number($s['evicted']) . ' evicted' . ($s['evicted'] > 0 ? ' (lately at ' . Text::seconds($s['evicted_age']) . ')' : '') . ', ' . Text::number($s['expired']) . ' expired'],
            ['refused', Text::number($s['refused']) . ($causes !== '' ? " ($causes)" : '')],
            ['deaths', Text::number($s['deaths']) . ' survived, ' . Text::number($s['recoveries']) . ' inside a write'],
            ['threads', Text::number($s['threads']) . ' of at most ' . Text::number($s['thread_limit'])],
        ];
        if (!$s['readable']) {
            $rows[] = ['values', Text::message(self::foreign($s))];
        }
        if ($s['policy'] === 'queue') { // which has no entries; what it has, and did, is a queue's: larder queues
            unset($rows[1], $rows[2], $rows[3], $rows[4]);
        }
        $text = Text::message($name . ($s['path'] !== '' ? " {$s['path']}" : '')) . "\n";
        foreach ($rows as [$title, $content]) {
            $text .= sprintf("  %-9s %s\n", $title, $content);
        }
        return $text;
    }

    /** @return list<array<string, mixed>> */
    private function entries(Target $target, string $prefix, string $order, int $limit): array
    {
        if ($order !== '' && !in_array($order, Operations::ORDERS, true)) {
            throw Failure::usage("--order $order: one of " . implode(', ', Operations::ORDERS) . ' is expected');
        }
        return $target->ask('entries', ['prefix' => $prefix, 'order' => $order, 'limit' => $limit, 'pool' => $this->options->text('pool')])['entries'];
    }

    private function top(Target $target): int
    {
        $entries = $this->entries($target, Text::unkey($this->options->text('prefix') ?? ''), $this->options->text('order') ?? 'size', $this->options->count('limit', 10, 1));
        if ($this->options->has('json')) {
            $this->json($entries);
            return 0;
        }
        self::put(Text::table(['>SIZE', '>USES', '>AGE', '>LEFT', 'TYPE', 'KEY'], array_map(fn(array $e): array => [
            Text::bytes($e['bytes']), (string) (int) $e['uses'], Text::seconds($e['age']), Text::seconds($e['ttl']), Text::message($e['type']),
            ($e['pool'] !== null ? Text::key($e['pool']) . '/' : '') . Text::key($e['key']),
        ], $entries)));
        return 0;
    }

    private function keys(Target $target): int
    {
        if ($this->options->words !== [] && $this->options->has('prefix')) {
            throw Failure::usage('only one of PREFIX and --prefix may be given');
        }
        $prefix = Text::unkey($this->options->words[0] ?? $this->options->text('prefix') ?? '');
        $order = $this->options->text('order') ?? '';
        $limit = $this->options->count('limit', 0, 0);
        $keys = $order !== ''
            ? array_map(fn(array $entry): string => $this->named($entry, $target->store()), $this->entries($target, $prefix, $order, $limit))
            : $target->ask('keys', ['prefix' => $prefix, 'limit' => $limit, 'pool' => $this->options->text('pool')])['keys'];
        if ($this->options->has('json')) {
            $this->json($keys);
            return 0;
        }
        foreach ($keys as $key) {
            echo $this->options->has('null') ? $key . "\0" : Text::key($key) . "\n";
        }
        return 0;
    }

    /**
     * A key, with the pool and a slash before it unless only one pool was asked for. The pool of a session is its save path.
     *
     * @param array<string, mixed> $entry
     */
    private function named(array $entry, string $store): string
    {
        $plain = $entry['pool'] === null || $this->options->has('pool') || $store === 'session';
        return $plain ? $entry['key'] : "{$entry['pool']}/{$entry['key']}";
    }

    private function get(Target $target): int
    {
        $key = Text::unkey($this->options->words[0]);
        $answer = $target->ask('get', ['key' => $key] + ($this->options->has('json') ? ['details' => true] : []));
        if (!$answer['found']) {
            throw Failure::failed(($answer['there'] ? 'the value cannot be read here: a class is not known, or has changed, or it is not PHP\'s; key ' : 'no entry has the key ') . Text::key($key));
        }
        if (!$this->options->has('json')) {
            $text = $answer['text'] . (str_ends_with($answer['text'], "\n") ? '' : "\n");
            $this->options->has('raw') ? print $text : self::put($text);
            return 0;
        }
        $entry = $answer['entry'] ?? [];
        $entry = ['key' => $key, 'type' => $answer['type']] + $entry;
        $value = str_replace("\n", "\n    ", Text::json($answer['json'])); /* as it is: not all of it could be decoded */
        echo substr(self::encode($entry), 0, -2), ",\n    \"value\": $value\n}\n";
        return 0;
    }

    private function queues(Target $target): int
    {
        $queues = $target->ask('queues')['queues'];
        if ($this->options->has('json')) {
            $this->json($queues);
            return 0;
        }
        self::put(Text::table(['>READY', '>RESERVED', '>DELAYED', '>BURIED', '>SIZE', 'QUEUE'], array_map(fn(array $q): array => [
            (string) (int) $q['ready'], (string) (int) $q['reserved'], (string) (int) $q['delayed'], (string) (int) $q['buried'], Text::bytes($q['bytes']), Text::key($q['name']),
        ], $queues)));
        return 0;
    }

    private function ping(Target $target): int
    {
        $start = hrtime(true);
        $stats = $target->ask('stats');
        $unusable = $this->unusable($stats);
        foreach (array_diff_key($stats['stores'], $unusable) as $name => $store) {
            self::put(sprintf("%s: up, %s of %s used, %s entries, %.1f ms\n", Text::message($name), Text::bytes($store['used']), Text::bytes($store['size']), Text::number($store['entries']), (hrtime(true) - $start) / 1e6));
        }
        foreach ($unusable as $name => $reason) {
            self::tell("$name: $reason");
        }
        return $unusable === [] ? 0 : 1;
    }

    private function watch(Target $target): int
    {
        $store = $target->store();
        $interval = $this->options->number('interval', 2, 0.01);
        $lines = $this->options->has('count') ? $this->options->count('count', 1, 1) : 0;
        $before = null;
        echo sprintf("%9s %10s %7s %9s %9s %9s %10s %8s\n", 'HITS/S', 'MISSES/S', 'HITS', 'STORES/S', 'EVICTED/S', 'REFUSED/S', 'ENTRIES', 'USED');
        for ($line = 0; ($lines === 0 || $line <= $lines) && connection_aborted() === 0; $line++) {
            $stats = $target->ask('stats', ['store' => $store]);
            $now = $stats['stores'][$store] ?? throw Failure::failed("$store: " . ($stats['off'][$store] ?? 'off'));
            $time = hrtime(true); // which nobody sets
            $now['stored'] = $now['inserts'] + $now['replaces'];
            if ($before !== null) {
                $more = fn(string $field): int => max(0, $now[$field] - $before[0][$field]); // less: the store was made anew
                $rate = fn(string $field): string => Text::number($more($field) / max(1e-3, ($time - $before[1]) / 1e9));
                printf("%9s %10s %7s %9s %9s %9s %10s %8s\n", $rate('hits'), $rate('misses'), Text::percent($more('hits'), $more('hits') + $more('misses')), $rate('stored'), $rate('evicted'), $rate('refused'), Text::number($now['entries']), Text::bytes($now['used']));
            }
            $before = [$now, $time];
            if ($lines === 0 || $line < $lines) {
                usleep((int) ($interval * 1e6));
            }
        }
        return 0;
    }

    private function fsck(Target $target): int
    {
        $violations = $target->ask('fsck')['violations'];
        if ($this->options->has('json')) {
            $this->json($violations);
        } else {
            self::put($violations === [] ? "no violation\n" : implode("\n", array_map(Text::key(...), $violations)) . "\n");
        }
        return $violations === [] ? 0 : 1;
    }

    /* ---- changing ---- */

    private function del(Target $target): int
    {
        $keys = array_values(array_unique(array_map(Text::unkey(...), $this->options->words)));
        $answer = $target->ask('delete', ['keys' => $keys]);
        foreach (array_diff($keys, $answer['deleted']) as $key) {
            self::tell('no entry has the key ' . Text::key($key));
        }
        return count($answer['deleted']) === count($keys) ? 0 : 1;
    }

    private function clear(Target $target): int
    {
        $prefixes = array_map(Text::unkey(...), $this->options->texts('prefix'));
        if (in_array('', $prefixes, true)) {
            throw Failure::usage('--prefix is empty: all entries are deleted without it');
        }
        if ($prefixes !== [] && $this->options->has('pool')) {
            throw Failure::usage('only one of --prefix and --pool may be given');
        }
        $answer = ['cleared' => 0];
        foreach ($prefixes ?: [''] as $prefix) {
            $answer['cleared'] += $target->ask('clear', ['prefix' => $prefix, 'pool' => $this->options->text('pool')])['cleared'];
        }
        if ($this->options->has('json')) {
            $this->json($answer);
        } else {
            echo Text::number($answer['cleared']), ' ', $answer['cleared'] === 1 ? 'entry' : 'entries', " cleared\n";
        }
        return 0;
    }

    private function warm(Target $target): int
    {
        $file = $this->options->words[0];
        $answer = $target->ask('warm', ['file' => (string) (realpath($file) ?: $file)]);
        self::put(sprintf("%s %+d entries, %.1f s\n", Text::message($file), $answer['entries'], $answer['seconds']));
        return 0;
    }

    private function completion(): int
    {
        echo Completion::of($this->options->words[0]) ?? throw Failure::usage("larder completion {$this->options->words[0]}: one of bash, zsh and fish is expected");
        return 0;
    }
}
