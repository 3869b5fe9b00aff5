<?php

declare(strict_types=1);

namespace Larder\Ops;

/** The command `larder`: one method for each subcommand. Start with main(). */
final class Command
{
    /** Subcommand => [arguments, summary, options (without the ones that choose the store), more help, examples]. */
    public const WORDS = [
        'doctor' => ['', 'Find what is wrong with the set-up, and what to write where', ['json'],
            'Examines the extension, the ini files, sizes, permissions and opcache of this PHP. With --fpm, also of that pool, and whether it shares stores with the command line. Give --fpm again for each further pool.', ['doctor', 'doctor --fpm /run/php/php8.2-fpm.sock']],
        'stats' => ['', 'Show memory, hit rate, evictions and refusals of each store', ['prefix', 'json', 'openmetrics'],
            'Counts begin when the store is created; uptime says how long ago that was. With --openmetrics, prints metrics for Prometheus.', ['--scope app stats', '--scope app stats --openmetrics']],
        'top' => ['', 'List the largest entries, or the first ones by --order', ['pool', 'prefix', 'order', 'limit', 'json'],
            'USES says how often an entry was used since eviction last looked at it, from 0 to 3. AGE is the time since it was written, LEFT the time until it expires.', ['--scope app top', '--scope app top --order uses -n 20']],
        'keys' => ['[PREFIX]', 'List keys, one per line', ['pool', 'prefix', 'order', 'limit', 'long', 'json', 'null'],
            'An entry of a pool is listed as POOL/KEY. With --long, a table says of each entry its form and what top says; READY is the size of its value if it were ready. Characters that a terminal would execute or hide are printed as \xNN; the other commands accept this form.', ['--scope app keys user:', '--scope app keys user: --long']],
        'get' => ['KEY', 'Print the value of an entry', ['json', 'raw'],
            'Prints a string as it is, and any other value like print_r(). If the text of an array or object is too long, it is shortened, and the exit code is 1.', ['--scope app get user:1', '--scope app get user:1 --json']],
        'del' => ['KEY...', 'Delete entries', [], 'Deletes entries that are in no pool.', ['--scope app del user:1 user:2']],
        'clear' => ['', 'Delete all entries, or some of them: --prefix or --pool', ['pool', 'prefix', 'json'],
            'Clears the volatile store, or that of --store. Readers are not disturbed. --prefix deletes the entries without a pool whose keys begin with it, --pool the entries of one pool, with --fpm or if larder.scope in php.ini names the store.', ['--scope app clear', '--scope app clear --prefix user:', '--fpm /run/php/php8.2-fpm.sock clear']],
        'ping' => ['', 'Check that the stores can be used', [], 'The exit code is 1 if a store cannot be used. Standard error says why.', ['--scope app ping']],
        'watch' => ['', 'Show rates while they change, like top', ['interval', 'count'],
            'On a terminal, redraws all stores, queues and the most used entries. Elsewhere, prints one line per interval about one store.', ['--scope app watch', '--scope app watch --interval 1 --count 10 | tee rates']],
        'warm' => ['FILE', 'Run a PHP file that fills the stores', [], 'With --fpm, a worker of the pool runs the file. Without it, the file fills the stores of larder.scope in php.ini.', ['--fpm /run/php/php8.2-fpm.sock warm /srv/app/warm.php']],
        'queues' => ['', 'List queues: messages by state, and the age of the oldest', ['json'],
            'OLDEST is the time that the oldest ready message has waited since its push, the end of its delay, or a kick. A growing value means that workers are too slow or absent. BURIED messages wait until you kick them. Without --fpm, shows the queues of larder.scope in php.ini.', ['--fpm /run/php/php8.2-fpm.sock queues']],
        'kick' => ['QUEUE', 'Make buried messages of a queue ready again', ['limit'], 'The oldest are first. --limit says how many; by default all. Without --fpm, the queue is one of larder.scope in php.ini.', ['--fpm /run/php/php8.2-fpm.sock kick mail -n 10']],
        'settings' => ['', 'Show the settings in force', ['json'], 'Shows the settings of this PHP or, with --fpm, of a pool. docs/settings.md explains each.', ['settings', 'settings --fpm /run/php/php8.2-fpm.sock']],
        'fsck' => ['', 'Check every invariant of a store', ['json'], 'Checks the volatile store, or that of --store. Prints each violation. The exit code is 1 if there is one.', ['--scope app fsck']],
        'completion' => ['SHELL', 'Print completion for bash, zsh or fish', [], 'The package installs it. Without the package, load it in the start file of your shell.', ['completion bash']],
        'help' => ['[COMMAND]', 'Explain all commands, or one', [], '', ['help stats']],
    ];

    /** The subcommands that do not work on exactly one store, each with its options that choose stores. */
    private const OWN = ['doctor' => ['fpm', 'fpm-file', 'user'], 'settings' => ['fpm', 'fpm-file'], 'queues' => self::PLACE, 'kick' => self::PLACE, 'warm' => self::PLACE, 'completion' => [], 'help' => []];
    private const PLACE = ['scope', 'folder', 'path', 'user', 'fpm', 'fpm-file'];


    private const COLUMNS = 80;
    private const PART = 65536;
    /** `watch` lists the most used entries of a store with at most this number of entries, because the listing reads all of them. */
    private const SCREEN_ENTRIES = 100000;

    private Options $options;

    public function __construct(private string $program, private string $version) {}

    /** @param list<string> $arguments */
    public static function main(array $arguments, string $program, string $version): int
    {
        error_reporting(error_reporting() & ~E_ERROR); // tellFatal() prints fatal errors to standard error
        register_shutdown_function(self::tellFatal(...));
        ignore_user_abort(true); // without this, PHP exits with code 255 when the reader of a pipe ends first
        $code = (new self($program, $version))->try($arguments);
        return connection_aborted() === 0 ? $code : max(1, $code);
    }

    /** If a fatal error has ended this process, says why. The usual reason is memory_limit. */
    private static function tellFatal(): void
    {
        $error = error_get_last();
        if ($error === null || ($error['type'] & E_ERROR) === 0) {
            return;
        }
        ini_set('memory_limit', '-1'); // making the message needs memory
        $isMemory = str_starts_with($error['message'], 'Allowed memory size');
        self::tell(strtok($error['message'], "\n") . ($isMemory ? '; ask for fewer entries (--prefix, --limit), or raise memory_limit in php.ini' : ''));
        exit(1);
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

    /** Prints and escapes a text that may contain names, paths or values of other users. Not for JSON, metrics, --null and --raw. */
    private static function put(string $text): void
    {
        for ($at = 0; $at < strlen($text); $at += strlen($lines)) { // the escaped text is several times as long, so escape a part at a time
            $lines = substr($text, $at, self::PART);
            $lines .= substr($text, $at + strlen($lines), strcspn($text, "\n", $at + strlen($lines)) + 1);
            echo Text::shown($lines);
        }
    }

    /** Prints a line to standard error. Prints nothing if standard error is closed. */
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
            'settings' => $this->settings(),
            default => $this->$word(new Target($this->options, $this->program)),
        };
    }

    /**
     * Runs larder-work or larder-sync, which belong to another package, from the folder of this command or PATH.
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

    /** @return list<string> names of the options that a command accepts */
    public static function optionsOf(string $word): array
    {
        return [...self::WORDS[$word][2], ...self::OWN[$word] ?? Options::COMMON, 'help'];
    }

    private function usageOf(string $word): string
    {
        [$form, $help, , $more, $examples] = self::WORDS[$word];
        $text = 'Usage: larder ' . trim("$word $form") . (self::optionsOf($word) !== ['help'] ? ' [OPTION]...' : '') . "\n\n" . self::row('', "$help.", 0);
        $text .= ($more !== '' ? "\n" . self::row('', $more, 0) : '') . "\nOptions\n";
        foreach (self::optionsOf($word) as $name) {
            $text .= self::optionLine($name);
        }
        return "$text\nExamples\n" . implode('', array_map(fn(string $example): string => "  larder $example\n", $examples));
    }

    private static function optionLine(string $name): string
    {
        [$short, $argument, $help] = Options::ALL[$name];
        return self::row(sprintf('  %-4s%-19s', $short !== '' ? "-$short," : '', trim("--$name $argument")), $help, 26);
    }

    /** Returns a row with a title and a wrapped text. The lines of the text begin at $column. */
    private static function row(string $title, string $text, int $column): string
    {
        $lines = explode("\n", wordwrap($text, self::COLUMNS - $column));
        return ($column > 0 ? str_pad($title, $column - 1) . ' ' : '') . implode("\n" . str_repeat(' ', $column), $lines) . "\n";
    }

    private function usage(): string
    {
        $text = "Usage: larder [OPTION]... COMMAND [ARGUMENT]...\n\nLooks at and clears stores of Larder. Looking creates no store,\nbut with --fpm a worker of the pool opens its own, and may create it.\n\nCommands\n";
        foreach (self::WORDS as $word => [$form, $help]) {
            $text .= self::row('  ' . trim("$word $form"), $help, 21);
        }
        $text .= "\nOptions; larder help COMMAND has those of a command\n";
        foreach (array_keys(Options::ALL) as $name) {
            $text .= self::optionLine($name);
        }
        return $text . "\n" . self::row('', 'larder work and larder sync run larder-work and larder-sync of the Composer package larder/cache.', 0)
            . self::row('', 'Without --scope, --path and --fpm the stores are those of larder.scope in php.ini.', 0)
            . self::row('', 'Exit code: 0 done, 1 failed (nothing found, a store that cannot be used), 2 usage error.', 0);
    }

    /**
     * @param array<mixed> $data
     * @param string $maps names of elements; if such an element is empty, it is written as {} instead of []
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
                } catch (Failure $e) { // report the error, but still print the other metrics
                    self::tell($e->getMessage());
                    break;
                }
            }
            try {
                $queues = $target->ask('queues')['queues'];
            } catch (Failure) { // queues are off, or this process cannot reach them
                $queues = [];
            }
            echo OpenMetrics::text($stats, $prefixes, $queues);
            return 0; // not a failure, because the metric larder_up already reports an unusable store
        }
        if ($this->options->has('json')) {
            $this->json($stats, 'stores', 'off');
        } else {
            foreach ($stats['stores'] as $name => $store) {
                self::put($this->describe($name, $store) . "\n");
            }
            foreach (array_intersect_key($stats['off'], $this->unusable($stats)) as $name => $reason) {
                self::tell("$name: $reason");
            }
            $other = array_sum(array_column($stats['stores'], 'entries')) === 0 ? $target->neighbours(true) : null;
            if ($other !== null) {
                self::tell($other);
            }
        }
        return $this->unusable($stats) === [] ? 0 : 1;
    }

    /**
     * Returns the stores that cannot be used: name => reason. If a setting has switched a store off, this store is included only if --store
     * names it, or if there is no other store.
     *
     * @param array<string, mixed> $stats
     * @return array<string, string>
     */
    private function unusable(array $stats): array
    {
        $unreadable = array_filter($stats['stores'], fn(array $store): bool => !$store['readable']);
        $off = array_filter($stats['off'], fn(string $reason, string $name): bool => !preg_match(Operations::SWITCHED_OFF, $reason)
            || $stats['stores'] === [] || $this->options->text('store') === $name, ARRAY_FILTER_USE_BOTH);
        return array_map(self::foreign(...), $unreadable) + $off;
    }

    /** @param array<string, mixed> $store a store whose values this PHP does not read */
    private static function foreign(array $store): string
    {
        return (str_starts_with($store['abi'], 'php') ? 'of another PHP' : 'not of PHP') . " (ABI {$store['abi']}): not read";
    }

    /** @param array<string, mixed> $s */
    private function describe(string $name, array $s): string
    {
        $refused = [];
        foreach ($s['refusal_causes'] as $cause => $count)
            $refused[strtr((string) $cause, '_', ' ')] = (int) $count;
        $refused['other'] = max(0, (int) ($s['refused'] - array_sum($refused)));
        $list = fn(array $causes): string => implode(', ', array_map(fn(int $n, string $cause): string => Text::message($cause) . ' ' . Text::number($n), array_filter($causes), array_keys(array_filter($causes))));
        [$causes, $copied] = [$list($refused), $list($s['copy_causes'] ?? [])];
        $rows = [
            ['memory', Text::bytes($s['used']) . ' used (' . Text::percent($s['used'], $s['size']) . '), ' . Text::bytes($s['claimed']) . ' claimed, of ' . Text::bytes($s['size'])],
            ['entries', Text::number($s['entries'])],
            ...(($s['packs'] ?? 0) > 0 ? [['packed', Text::count($s['packed_entries'], 'entry', 'entries') . ' (' . Text::percent($s['packed_entries'], $s['entries']) . '), ' . Text::bytes($s['packed_bytes']) . ' instead of ' . Text::bytes($s['packed_ready']) . '; ' . Text::count($s['packs'], 'pack') . ', ' . Text::count($s['unpacks'], 'unpack') . ', ' . Text::number($s['rises']) . ' ready again']] : []),
            ['reads', Text::count($s['hits'], 'hit') . ', ' . Text::count($s['misses'], 'miss', 'misses') . ' (' . Text::percent($s['hits'], $s['hits'] + $s['misses']) . ' hits)' . ($s['copies'] > 0 ? ', ' . Text::number($s['copies']) . ' copied' . ($copied !== '' ? " ($copied)" : '') : '')],
            ['writes', Text::number($s['inserts']) . ' new, ' . Text::number($s['replaces']) . ' replaced, ' . Text::number($s['deletes']) . ' deleted'],
            ['left', Text::number($s['evicted']) . ' evicted' . ($s['evicted'] > 0 ? ' (lately at ' . Text::seconds($s['evicted_age']) . ')' : '') . ', ' . Text::number($s['expired']) . ' expired'],
            ['refused', Text::number($s['refused']) . ($causes !== '' ? " ($causes)" : '')],
            ['deaths', Text::number($s['deaths']) . ' survived, ' . Text::number($s['recoveries']) . ' inside a write'],
            ...(($s['repairs'] ?? 0) > 0 ? [['damage', Text::count($s['repairs'], 'repair') . ' dropped damaged data']] : []),
            ...(($s['memory_short'] ?? 0) > 0 ? [['folder', 'its file system was found full ' . Text::count($s['memory_short'], 'time') . '; the store holds no more than fits there']] : []),
            ['threads', Text::number($s['threads']) . ' of at most ' . Text::number($s['thread_limit'])],
            ['uptime', Text::seconds((float) ($s['uptime'] ?? 0)) . ' since the store was created'],
        ];
        if (!$s['readable']) {
            $rows[] = ['values', Text::message(self::foreign($s))];
        }
        if ($s['policy'] === 'queue') { // `larder queues` shows the messages of such a store
            $rows = array_filter($rows, fn(array $row): bool => !in_array($row[0], ['entries', 'packed', 'reads', 'writes', 'left'], true));
        }
        $text = Text::message($name . ($s['path'] !== '' ? " {$s['path']}" : '')) . "\n";
        foreach ($rows as [$title, $content]) {
            $text .= self::row("  $title", $content, 12);
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
        $this->table($entries, in_array('packed', array_column($entries, 'form'), true));
        return 0;
    }

    /**
     * Prints entries. The column READY is the size of the value when it is not packed.
     *
     * @param list<array<string, mixed>> $entries
     */
    private function table(array $entries, bool $forms): void
    {
        self::put(Text::table(['>SIZE', ...($forms ? ['>READY', 'FORM'] : []), '>USES', '>AGE', '>LEFT', 'TYPE', 'KEY'], array_map(fn(array $e): array => [
            Text::bytes($e['bytes']), ...($forms ? [Text::bytes($e['ready'] ?? $e['size']), Text::message($e['form'] ?? '-')] : []), (string) (int) $e['uses'], Text::seconds($e['age']), Text::seconds($e['ttl']), Text::message($e['type']),
            ($e['pool'] !== null ? Text::key($e['pool']) . '/' : '') . Text::key($e['key']),
        ], $entries)));
    }

    private function keys(Target $target): int
    {
        if ($this->options->words !== [] && $this->options->has('prefix')) {
            throw Failure::usage('only one of PREFIX and --prefix may be given');
        }
        $prefix = Text::unkey($this->options->words[0] ?? $this->options->text('prefix') ?? '');
        $order = $this->options->text('order') ?? '';
        $limit = $this->options->count('limit', 0, 0);
        if ($this->options->has('long')) {
            $entries = $this->entries($target, $prefix, $order, $limit);
            $this->options->has('json') ? $this->json($entries) : $this->table($entries, true);
            return 0;
        }
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
     * Returns an entry as the list shows it: POOL/KEY if the entry is in a pool, otherwise KEY. Returns KEY alone also if --pool is given,
     * and for sessions, whose pool would be the save path.
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
        $answer = $target->ask('get', ['key' => $key] + ($this->options->has('json') ? ['details' => true, 'form' => 'json'] : []));
        if (!$answer['found']) {
            throw Failure::failed(($answer['there'] ? 'the value cannot be read here: a class is not known, or has changed, or it is not PHP\'s; key ' : 'no entry has the key ') . Text::key($key) . ($answer['there'] ? '' : self::notInPools($target, $key)));
        }
        if (!$this->options->has('json')) {
            $text = $answer['text'] . (str_ends_with($answer['text'], "\n") ? '' : "\n");
            $this->options->has('raw') ? print $text : self::put($text);
            if (($answer['cut'] ?? '') !== '') {
                self::tell('the value of ' . Text::key($key) . " is shortened: {$answer['cut']}");
                return 1;
            }
            return 0;
        }
        $entry = $answer['entry'] ?? [];
        $entry = ['key' => $key, 'type' => $answer['type']] + $entry;
        /* insert the value's JSON as text, because decoding could lose a part of it */
        $value = str_replace("\n", "\n    ", Text::json($answer['json']));
        echo substr(self::encode($entry), 0, -2), ",\n    \"value\": $value\n}\n";
        return 0;
    }

    /** Returns a hint if the key looks like POOL/KEY, the form in which `keys` lists entries of pools. */
    private static function notInPools(Target $target, string $key): string
    {
        return str_contains($key, '/') && in_array($target->store(), ['volatile', 'apcu'], true) ? '; get and del do not look into pools' : '';
    }

    private function queues(Target $target): int
    {
        $queues = $target->ask('queues')['queues'];
        if ($this->options->has('json')) {
            $this->json($queues);
            return 0;
        }
        self::put(Text::table(['>READY', '>RESERVED', '>DELAYED', '>BURIED', '>OLDEST', '>SIZE', 'QUEUE'], array_map(self::queueRow(...), $queues)));
        return 0;
    }

    /**
     * @param array<string, mixed> $q
     * @return list<string>
     */
    private static function queueRow(array $q): array
    {
        return [...array_map(fn(string $state): string => Text::short((int) $q[$state]), ['ready', 'reserved', 'delayed', 'buried']), $q['ready'] > 0 ? Text::seconds((float) ($q['oldest'] ?? 0)) : '-', Text::bytes($q['bytes']), Text::key($q['name'])];
    }

    private function kick(Target $target): int
    {
        $kicked = $target->ask('kick', ['name' => Text::unkey($this->options->words[0]), 'limit' => $this->options->has('limit') ? $this->options->count('limit', 0, 1) : 0])['kicked'];
        echo Text::count($kicked, 'message is', 'messages are'), " ready again\n";
        return 0;
    }

    private function settings(): int
    {
        $settings = ($this->options->has('fpm') ? (new Target($this->options, $this->program))->ask('settings') : (new Operations())->run('settings', []))['settings'];
        if ($this->options->has('json')) {
            $this->json($settings);
            return 0;
        }
        foreach ($settings as $name => $value) {
            self::put(self::row("  $name", $value !== '' ? Text::message((string) $value) : '""', 34));
        }
        return 0;
    }

    private function ping(Target $target): int
    {
        $start = hrtime(true);
        $stats = $target->ask('stats');
        $unusable = $this->unusable($stats);
        foreach (array_diff_key($stats['stores'], $unusable) as $name => $store) {
            $entries = $store['policy'] !== 'queue' ? Text::count($store['entries'], 'entry', 'entries') . ', ' : '';
            self::put(sprintf("%s: up, %s of %s used, %s%.1f ms\n", Text::message($name), Text::bytes($store['used']), Text::bytes($store['size']), $entries, (hrtime(true) - $start) / 1e6));
        }
        foreach ($unusable as $name => $reason) {
            self::tell("$name: $reason");
        }
        return $unusable === [] ? 0 : 1;
    }

    private function watch(Target $target): int
    {
        $interval = $this->options->number('interval', 2, 0.01);
        $count = $this->options->has('count') ? $this->options->count('count', 1, 1) : 0;
        $screen = stream_isatty(STDOUT);
        $store = $target->store();
        $before = null;
        if (!$screen && $store === 'queue') {
            throw Failure::usage('a store of queues has no reads and writes to watch; "larder queues" shows its queues');
        }
        for ($n = 0; ($count === 0 || $n <= $count) && connection_aborted() === 0; $n++) {
            $stats = $target->ask('stats', $screen ? [] : ['store' => $store]);
            $time = hrtime(true);
            if (!$screen) {
                $stats['stores'][$store] ??= throw Failure::failed("$store: " . ($stats['off'][$store] ?? 'off'));
                $before !== null || printf("%7s %7s %6s %7s %7s %7s %7s %6s %7s %8s\n", 'HITS/S', 'MISS/S', 'HITS', 'SET/S', 'EVICT/S', 'REFUSE', 'ENTRIES', 'USED', 'PACK/S', 'UNPACK/S');
            }
            $rates = fn(string $name): array => $before === null ? [] : $this->rates($before[0][$name] ?? [], $stats['stores'][$name], ($time - $before[1]) / 1e9);
            if ($screen) {
                $this->draw($target, $stats, $rates, $interval);
            } elseif ($before !== null) {
                $row = $rates($store);
                printf("%7s %7s %6s %7s %7s %7s %7s %6s %7s %8s\n", $row['hits'], $row['misses'], $row['rate'], $row['stored'], $row['evicted'], $row['refused'], Text::short($stats['stores'][$store]['entries']), Text::bytes($stats['stores'][$store]['used']), $row['packs'], $row['unpacks']);
            }
            $before = [$stats['stores'], $time];
            if ($count === 0 || $n < $count) {
                usleep((int) ($interval * 1e6));
            }
        }
        return 0;
    }

    /**
     * Returns the rates of a store in events per second. $before and $now are its statistics, read $seconds apart.
     *
     * @param array<string, mixed> $before
     * @param array<string, mixed> $now
     * @return array<string, string>
     */
    private function rates(array $before, array $now, float $seconds): array
    {
        // The rate is 0 if the count has fallen (the store was created again), or is missing (the extension is older).
        $more = fn(string $field): int => max(0, ($now[$field] ?? 0) - ($before[$field] ?? $now[$field] ?? 0));
        $rate = fn(int $count): string => Text::short($count / max(1e-3, $seconds));
        return [
            'hits' => $rate($more('hits')), 'misses' => $rate($more('misses')), 'rate' => Text::percent($more('hits'), $more('hits') + $more('misses')),
            'stored' => $rate($more('inserts') + $more('replaces')), 'evicted' => $rate($more('evicted')), 'refused' => $rate($more('refused')),
            'packs' => $rate($more('packs')), 'unpacks' => $rate($more('unpacks')),
        ];
    }

    /**
     * Prints one screen of `larder watch`: the stores, the queues, and the most used entries.
     *
     * @param array<string, mixed> $stats
     * @param \Closure(string): array<string, string> $rates
     */
    private function draw(Target $target, array $stats, \Closure $rates, float $interval): void
    {
        $text = sprintf("larder %s  %s  every %ss, Ctrl-C ends\n\n", $this->version, date('H:i:s'), $interval) . self::storeTable($stats, $rates);
        try {
            $queues = $target->ask('queues')['queues'];
            $text .= $queues === [] ? '' : "\n" . Text::table(['>READY', '>RESERVED', '>DELAYED', '>BURIED', '>OLDEST', '>SIZE', 'QUEUE'], array_map(self::queueRow(...), $queues));
        } catch (Failure) { // queues are off, or this process cannot reach them
        }
        $store = $target->store();
        if ($store !== 'queue' && ($stats['stores'][$store]['entries'] ?? PHP_INT_MAX) <= self::SCREEN_ENTRIES) {
            $entries = $target->ask('entries', ['prefix' => '', 'order' => 'uses', 'limit' => 10, 'pool' => null])['entries'];
            $text .= $entries === [] ? '' : "\n" . Text::table(['>USES', '>SIZE', '>AGE', '>LEFT', "MOST USED KEYS OF $store"], array_map(fn(array $e): array => [
                (string) (int) $e['uses'], Text::bytes($e['bytes']), Text::seconds($e['age']), Text::seconds($e['ttl']), ($e['pool'] !== null ? Text::key($e['pool']) . '/' : '') . Text::key($e['key']),
            ], $entries));
        }
        [$height, $width] = self::terminal();
        $lines = array_slice(explode("\n", rtrim($text)), 0, $height - 1);
        echo "\e[H\e[J";
        self::put(implode("\n", array_map(fn(string $line): string => Text::cut($line, $width - 1), $lines)) . "\n");
    }

    /**
     * Returns a table of the stores, at most 79 columns wide.
     *
     * @param array<string, mixed> $stats
     * @param \Closure(string): array<string, string> $rates
     */
    private static function storeTable(array $stats, \Closure $rates): string
    {
        $rows = [];
        foreach ($stats['stores'] as $name => $s) {
            $r = $rates($name) + array_fill_keys(['hits', 'misses', 'rate', 'stored', 'evicted', 'refused'], '-');
            $entries = Text::short($s['entries']);
            if (($s['policy'] ?? '') === 'queue') { // a store of queues has messages instead of entries
                $r = array_fill_keys(['hits', 'misses', 'rate', 'stored', 'evicted'], '-') + $r;
                $entries = '-';
            }
            $rows[] = [Text::message($name), $r['hits'], $r['misses'], $r['rate'], $r['stored'], $r['evicted'], $r['refused'], $entries, Text::percent($s['used'], $s['size']), Text::seconds((float) ($s['uptime'] ?? 0))];
        }
        $text = Text::table(['STORE', '>HITS/S', '>MISS/S', '>HITS', '>SET/S', '>EVICT/S', '>REFUSE', '>ENTRIES', '>USED', '>UPTIME'], $rows, 1);
        foreach ($stats['stores'] as $name => $s) {
            if (($s['packs'] ?? 0) > 0) {
                $r = $rates($name) + ['packs' => '-', 'unpacks' => '-'];
                $text .= Text::message($name) . ': ' . Text::percent($s['packed_entries'], $s['entries']) . " of the entries are packed, {$r['packs']} packs/s, {$r['unpacks']} unpacks/s\n";
            }
        }
        return $text;
    }

    /** @return array{int, int} lines and columns of the terminal */
    private static function terminal(): array
    {
        $size = function_exists('exec') ? (string) @exec('stty size 2>/dev/null </dev/tty') : '';
        return preg_match('/^(\d+) (\d+)$/', $size, $match) && $match[1] > 1 && $match[2] > 1 ? [(int) $match[1], (int) $match[2]] : [24, self::COLUMNS];
    }

    private function fsck(Target $target): int
    {
        $violations = $target->ask('fsck')['violations'];
        if ($this->options->has('json')) {
            $this->json($violations);
        } else {
            self::put($violations === [] ? "no violation in the {$target->store()} store\n" : implode("\n", array_map(Text::key(...), $violations)) . "\n");
        }
        return $violations === [] ? 0 : 1;
    }

    /* ---- changing ---- */

    private function del(Target $target): int
    {
        $keys = array_values(array_unique(array_map(Text::unkey(...), $this->options->words)));
        $answer = $target->ask('delete', ['keys' => $keys]);
        foreach (array_diff($keys, $answer['deleted']) as $key) {
            self::tell('no entry has the key ' . Text::key($key) . self::notInPools($target, $key));
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
        $answer = [];
        foreach ($prefixes ?: [''] as $prefix) {
            $one = $target->ask('clear', ['prefix' => $prefix, 'pool' => $this->options->text('pool')]);
            $answer = ['cleared' => $one['cleared'] + ($answer['cleared'] ?? 0)] + $one;
        }
        if ($this->options->has('json')) {
            $this->json($answer);
            return 0;
        }
        $pool = $this->options->has('pool') ? ' of Larder\\Pool ' . Text::key((string) $this->options->text('pool')) : '';
        self::put(Text::count($answer['cleared'], 'entry', 'entries') . "$pool cleared" . self::whose($answer) . "\n");
        $other = $target->neighbours($answer['cleared'] === 0);
        if ($other !== null) {
            self::tell($other);
        }
        return 0;
    }

    /**
     * Returns a text that names the store to which an answer refers, and its owner if the answer has one.
     * @param array<string, mixed> $answer
     */
    private static function whose(array $answer): string
    {
        if (!isset($answer['store'], $answer['path'], $answer['user'], $answer['pool'])) { // an older larder.php has sent this answer
            return '';
        }
        $place = $answer['path'] !== '' ? Text::message(" {$answer['path']}") : ($answer['pool'] !== '' ? Text::message(" of FPM pool {$answer['pool']}") : '');
        return " in the {$answer['store']} store$place" . ($answer['user'] !== '' ? ' of user ' . Text::message($answer['user']) : '');
    }

    private function warm(Target $target): int
    {
        $file = $this->options->words[0];
        $answer = $target->ask('warm', ['file' => (string) (realpath($file) ?: $file)]);
        self::put(sprintf("%s %s%s, %.1f s\n", Text::message($file), $answer['entries'] >= 0 ? '+' : '', Text::count($answer['entries'], 'entry', 'entries'), $answer['seconds']));
        return 0;
    }

    private function completion(): int
    {
        echo Completion::of($this->options->words[0]) ?? throw Failure::usage("larder completion {$this->options->words[0]}: one of bash, zsh and fish is expected");
        return 0;
    }
}
