<?php
/* mutants.php - changes one thing in a source of the core, and checks if a test notices it. Start reading at main().
 *
 *   php tools/mutants.php [--number N] [--file NAME]... [--seconds N] [--jobs N] [--report] [--list]
 *   --file NAME   of the N mutants, takes only those in this file
 *   --jobs N      N mutants at a time
 *   --report      writes nothing: prints the figures and the survivors, with the reasons of core/tests/mutants.txt
 *                 (FILE, FUNCTION, the change, reason)
 *
 * - The sources are those of the protocol (PROTOCOL). Each mutant has one change, such as a condition inverted, a statement left out, or a
 *   memory order weakened. Each run takes the same N of all possible mutants, spread over files and kinds of changes. Assertions, hooks of
 *   tests and prefetches are not changed, because they do not affect the results of the shipped code.
 * - A mutant's object replaces the unchanged one in a shared library under the tests. If both are equal, the mutant is counted separately.
 *   With strict memory ordering, most weakened memory orders give equal objects.
 * - Only tests that run the changed line are tried, by the lists that `make coverage` leaves in build/coverage; without them, all are. If a
 *   function differs from the sources in build/coverage/src, all tests that ran some line of it are tried.
 * - A test is a file of tests, or one of its functions if the file takes more than 0.2 s (FILE:FUNCTION). Tests run until one fails.
 *   First come the tests that have killed (noticed) this mutant in an older source, then the tests that kill the most mutants of this file
 *   per second.
 * - In the first round each mutant gets one second of tests, in the second round each survivor half a minute, in the third ten minutes.
 * - build/mutants/results.tsv keeps a line for each mutant. A later run continues with these results. After a change of a function's code, or of
 *   its file's macros, the function's results only suggest which tests to try first. After a change of a test's code, the test runs again with the
 *   mutants that it did not kill. */
declare(strict_types=1);

const PROTOCOL = ['calls/get', 'threads/read', 'calls/write', 'memory/ledger', 'memory/quota', 'memory/zone', 'memory/arena',
    'memory/claim', 'memory/affinity', 'memory/gap', 'memory/mini', 'locks/lock', 'locks/turn',
    'memory/slot', 'mending/recover', 'mending/vet', 'mending/queue_check', 'entries/grow', 'queues/queue', 'queues/queue_pop',
    'queues/queue_push', 'queues/queue_wait', 'queues/pace', 'calls/keylock', 'entries/entry'];
/* These tests need other builds, or kill at random for a minute. */
const LEFT_OUT = ['assert', 'crash', 'delay', 'pressure'];
const ROUNDS = [1, 30, 600]; // for each of the three rounds: the seconds of tests that a mutant gets
const SHORT = 0.2; // seconds; a program that takes at least this time runs each test function separately
const NO_TEST = 'no test runs the line';
const WORK = 'build/mutants';
/* Hide no symbol of the shared library, because the tests call its internal functions. */
const FLAGS = '-std=c11 -D_GNU_SOURCE -pthread -Icore/include -Icore/src -isystem core/vendor/xxhash -fPIC -fno-semantic-interposition -O1 -w ' .
    "-DLRD_FAILPOINTS -DLRD_ASSERTIONS '-Dvisibility(x)=__unused__'";

/* ---- what can be changed ---- */

/* Returns the tokens of C, each as [kind, text, position]. A token of kind '#' stands for comments, strings and lines of the
 * preprocessor. */
function tokens(string $source): array
{
    $pattern = '~(?<skip>/\*.*?\*/|//[^\n]*|^[ \t]*\#(?:[^\n]*\\\\\n)*[^\n]*)|(?<string>"(?:\\\\.|[^"\\\\])*"|\'(?:\\\\.|[^\'\\\\])*\')' .
        '|(?<name>[A-Za-z_]\w*)|(?<number>(?:0[xX][0-9a-fA-F]+|\d+)[uUlL]*)' .
        '|(?<sign><<=|>>=|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.|[^\s\w])~ms';
    preg_match_all($pattern, $source, $found, PREG_SET_ORDER | PREG_OFFSET_CAPTURE | PREG_UNMATCHED_AS_NULL);
    $list = [];
    foreach ($found as $match)
        foreach (['string', 'name', 'number', 'sign'] as $kind)
            if ($match[$kind][0] !== null)
                $list[] = [$kind, $match[$kind][0], $match[$kind][1]];
    return $list;
}

/* Returns true if the order of two statements makes no difference. Both must be plain assignments or relaxed stores, and neither may use
 * what the other one assigns. The compiler may swap such statements, too. */
function order_is_free(string $one, string $other): bool
{
    foreach ([&$one, &$other] as &$statement) {
        $statement = preg_replace('/^\s*atomic_store_explicit\((.*), (.*),\s*memory_order_relaxed\);/s', '$1 = $2;', $statement);
        $statement = preg_replace('/\((?:u?int\d+_t|size_t|unsigned)\)/', '', $statement); // casts
    }
    unset($statement);
    foreach ([[$one, $other], [$other, $one]] as [$this_one, $that]) {
        if (preg_match('/\w\s*\(/', $this_one) === 1 || preg_match('/^\s*(.+?)\s*[-+|&]?=[^=]/s', $this_one, $found) !== 1)
            return false;
        if (preg_match('/(?<![\w.>])' . preg_quote($found[1], '/') . '(?!\w)/', $that) === 1)
            return false;
    }
    return true;
}

/* Returns all possible changes of a source, each as [kind, position, length, replacement, function]. */
function changes(string $source): array
{
    $tokens = tokens($source);
    $count = count($tokens);
    $all = [];
    $depth = 0;      // of braces
    $function = '';
    $body = false;   // true inside the body of a function
    $parens = 0;
    $begin = null;   // the index of the token that begins the current statement
    $before = null;  // the statement before the current one, in the same block: [from, to, is a store]
    $is_void = false;
    for ($i = 0; $i < $count; $i++) {
        [$kind, $text, $at] = $tokens[$i];
        if (!$body) {
            if ($text === '{' && $i > 0 && $tokens[$i - 1][1] === ')') {
                $open = 1;
                for ($k = $i - 2; $k >= 0 && $open > 0; $k--)
                    $open += $tokens[$k][1] === ')' ? 1 : ($tokens[$k][1] === '(' ? -1 : 0);
                $function = $k >= 0 ? $tokens[$k][1] : '';
                $is_void = $k >= 1 && $tokens[$k - 1][1] === 'void';
                $body = true;
                $depth = 1;
                $begin = $i + 1;
                $before = null;
                if ($is_void && preg_match('/control|prefetch/', $function) === 0)
                    $all[] = ['early return', $at + 1, 0, ' return;', $function];
            }
            continue;
        }
        if (preg_match('/control|assert|prefetch/', $function) === 1) {
            $depth += $text === '{' ? 1 : ($text === '}' ? -1 : 0);
            $body = $depth > 0;
            continue;
        }
        if ($text === '{' || $text === '}') {
            $depth += $text === '{' ? 1 : -1;
            $body = $depth > 0;
            $begin = $i + 1;
            $before = null;
            continue;
        }
        /* Assertions, hooks and hints are not in the shipped code, or do not affect its results. */
        if ($kind === 'name' && preg_match('/^(lrd__assert\w*|LRD__FAILPOINT|LRD__CONTROL|_Static_assert|lrd__fail|__builtin_prefetch|lrd__prefetch\w*)$/', $text) &&
            ($tokens[$i + 1][1] ?? '') === '(') {
            $open = 0;
            $from = $i;
            do {
                $i++;
                $open += $tokens[$i][1] === '(' ? 1 : ($tokens[$i][1] === ')' ? -1 : 0);
            } while ($open > 0);
            if ($from === $begin && ($tokens[$i + 1][1] ?? '') === ';')
                $begin = ++$i + 1;
            continue;
        }
        $next = $tokens[$i + 1][1] ?? '';
        $previous = $tokens[$i - 1][1];
        switch ($kind) {
            case 'sign':
                $flip = ['<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>', '==' => '!=', '!=' => '=='][$text] ?? null;
                if ($flip !== null)
                    $all[] = [strlen($text) === strlen($flip) ? 'comparison' : 'boundary', $at, strlen($text), $flip, $function];
                if ($text === '&&' || $text === '||')
                    $all[] = ['connective', $at, 2, $text === '&&' ? '||' : '&&', $function];
                if (($text === '+' || $text === '-') && preg_match('/^[\w)\]]+$/', $previous) && $previous !== 'return')
                    $all[] = ['arithmetic', $at, 1, $text === '+' ? '-' : '+', $function];
                break;
            case 'number':
                if ($previous !== '[' && preg_match('/^(\d+)([uU]?[lL]*)$/', $text, $n))
                    $all[] = ['constant', $at, strlen($text), ((int)$n[1] + 1) . $n[2], $function];
                break;
            case 'name':
                if (preg_match('/^memory_order_(acquire|release|acq_rel|seq_cst)$/', $text))
                    $all[] = ['order', $at, strlen($text), 'memory_order_relaxed', $function];
                if ($text === 'if' && $next === '(')
                    $all[] = ['condition', $at, 2, 'if (0)', $function, $i];
                break;
        }
        if ($text === '(')
            $parens++;
        if ($text === ')')
            $parens--;
        if ($text !== ';' || $parens > 0)
            continue;
        $from = $tokens[$begin][2];
        $first = $tokens[$begin][1];
        $is_simple = preg_match('/^(if|for|while|do|else|return|goto|break|continue|case|default|switch|typedef|const|static|uint\w*|int\w*|bool|size_t|struct|union|_Atomic|char|unsigned|void|lrd__\w+|lrd_\w+)$/', $first) !== 1 ||
            (str_starts_with($first, 'lrd_') && ($tokens[$begin + 1][1] ?? '') === '(');
        $statement = substr($source, $from, $at + 1 - $from);
        $is_simple = $is_simple && (str_contains($statement, '(') || str_contains($statement, '=') || str_contains($statement, '++'));
        if ($is_simple && $begin < $i) {
            $blank = preg_replace('/[^\n]/', ' ', substr($statement, 0, -1)) . ';';
            $all[] = ['left out', $from, strlen($statement), $blank, $function];
            $store = preg_match('/atomic_(store|fetch)|[^=!<>]=[^=]|\+\+|--|memset|memcpy/', $statement) === 1;
            if ($store && $before !== null && $before[2] && $before[3] === $depth) {
                $between = substr($source, $before[1], $from - $before[1]);
                $is_free = order_is_free(substr($source, $before[0], $before[1] - $before[0]), $statement);
                if (!$is_free && trim(preg_replace('/^#.*$/m', '', without_comments($between))) === '')
                    $all[] = ['swapped', $before[0], $at + 1 - $before[0],
                        $statement . $between . substr($source, $before[0], $before[1] - $before[0]), $function];
            }
            $before = [$from, $at + 1, $store, $depth];
        } else {
            /* Never leave out a declaration or a control statement. If a plain statement belongs to an if or else, leave out only this
             * statement. */
            $before = null;
            $close = strrpos(substr($source, $from, $at - $from), ")\n");
            if (preg_match('/^(if|else)$/', $first) && $close !== false) {
                $start = $from + $close + 1;
                $inner = substr($source, $start, $at + 1 - $start);
                if (!preg_match('/^\s*(return|goto|break|continue)\b/', $inner) && preg_match('/^\s*\w/', $inner))
                    $all[] = ['left out', $start, strlen($inner), preg_replace('/[^\n]/', ' ', substr($inner, 0, -1)) . ';', $function];
            }
        }
        $begin = $i + 1;
    }
    /* Negate each condition. No mutant has if (0), because it would equal the mutant that leaves the statement out. */
    foreach ($all as $n => $change)
        if ($change[0] === 'condition') {
            $open = $tokens[$change[5] + 1][2];
            $all[$n] = ['condition', $open, 1, '(!', $function, $change[5]];
            $level = 0;
            for ($k = $change[5] + 1; $k < $count; $k++) {
                $level += $tokens[$k][1] === '(' ? 1 : ($tokens[$k][1] === ')' ? -1 : 0);
                if ($level === 0)
                    break;
            }
            $inside = substr($source, $open, $tokens[$k][2] + 1 - $open);
            $all[$n] = ['condition', $open, strlen($inside), "(!$inside)", $change[4]];
        }
    return $all;
}

/* Returns the text without comments, and without the lines that contain only comments. */
function without_comments(string $text): string
{
    return preg_replace('~("(?:\\\\.|[^"\\\\])*"|\'(?:\\\\.|[^\'\\\\])*\')|^[ \t]*(?:(?:/\*.*?\*/|//[^\n]*)[ \t]*)+\n|[ \t]*(?:/\*.*?\*/|//[^\n]*)~ms', '$1', $text);
}

/* Returns a hash of the code, which comments and white space do not change. */
function code_number(string $source): string
{
    preg_match_all('~"(?:\\\\.|[^"\\\\])*"|\w+|[^\w\s]~', without_comments($source), $found);
    return hash('crc32b', implode(' ', $found[0]));
}

/* Returns the functions of a source by position, each with all text since the function before it. */
function functions(string $source): array
{
    preg_match_all('/.+?(?:^\}\n|\z)/ms', $source, $found, PREG_OFFSET_CAPTURE);
    return array_column($found[0], 0, 1);
}

/* Returns the position of the function that contains a position. */
function function_at(array $functions, int $at): int
{
    return max(array_filter(array_keys($functions), fn($from) => $from <= $at));
}

function line_of(string $source, int $at): int
{
    return substr_count($source, "\n", 0, $at) + 1;
}

function mutants(array $files, int $number): array
{
    $by_group = [];
    foreach ($files as $file) {
        $source = file_get_contents("core/src/$file.c");
        $functions = functions($source);
        preg_match_all('/^[ \t]*#(?:[^\n]*\\\\\n)*[^\n]*/m', $source, $macros);
        $codes = array_map(fn($text) => code_number($text . implode("\n", $macros[0])), $functions);
        foreach (changes($source) as $change) {
            [$kind, $at, $length, $instead, $function] = $change;
            $line = line_of($source, $at);
            $was = substr($source, $at, $length);
            $code = $codes[function_at($functions, $at)];
            $around = substr(without_comments(substr($source, 0, $at)), -80) . substr(without_comments(substr($source, $at)), 0, 80);
            $id = substr(sha1("$file|$function|$kind|" . without_comments($was) . '|' . without_comments($instead) . "|$around"), 0, 12);
            $one = preg_replace('/\s+/', ' ', trim(without_comments($was)));
            $other = preg_replace('/\s+/', ' ', trim(without_comments($instead)));
            $by_group["$file|$kind"][$id] = compact('id', 'file', 'function', 'kind', 'line', 'at', 'length', 'instead', 'code') +
                ['text' => trim(mb_strimwidth($one, 0, 60, '...') . ' -> ' . mb_strimwidth($other === ';' ? 'nothing' : $other, 0, 60, '...'))];
        }
    }
    /* Take mutants in turn from all groups. A group has the mutants of one file and one kind of change. */
    foreach ($by_group as &$group)
        ksort($group);
    unset($group);
    $taken = [];
    for ($round = 0; count($taken) < $number; $round++) {
        $any = false;
        foreach ($by_group as $group) {
            $one = array_values($group)[$round] ?? null;
            if ($one !== null) {
                $any = true;
                $taken[] = $one;
            }
        }
        if (!$any)
            break;
    }
    return array_slice($taken, 0, $number);
}

/* ---- running ---- */

function run(string $command): int
{
    passthru($command, $code);
    return $code;
}

function must(string $command): void
{
    if (run($command) !== 0) {
        fwrite(STDERR, "failed: $command\n");
        exit(1);
    }
}

function compile(string $from, string $to, int $newest): void
{
    if (!is_file($to) || filemtime($to) < max($newest, filemtime($from)))
        must('gcc ' . FLAGS . " -c -o $to $from");
}

/** @return list<string> the programs of tests by name */
function programs(): array
{
    static $names = [];
    if ($names === []) {
        $names = array_map(fn($file) => basename($file, '_test.c'), glob('core/tests/*_test.c'));
        $names = [...array_values(array_diff($names, LEFT_OUT)), 'fail_calls'];
    }
    return $names;
}

function source_of(string $program): string
{
    return $program === 'fail_calls' ? 'core/tests/proof/fail_calls.c' : "core/tests/{$program}_test.c";
}

/* Returns a test's name and the version of its file, as in the list of passed tests. */
function version(string $test): string
{
    static $known = [];
    $program = explode(':', $test)[0];
    return "$test@" . ($known[$program] ??= code_number(file_get_contents(source_of($program))));
}

/* Returns true if the list of passed tests has this test, or the whole program to which it belongs. */
function has_passed(string $test, array $passed): bool
{
    return in_array(version($test), $passed, true) || in_array(version(explode(':', $test)[0]), $passed, true);
}

/* For each test function of the slow programs, lists the source lines that it runs. Needs the programs of `make coverage`. */
function list_functions(): void
{
    $cov = trim((string)shell_exec('command -v llvm-cov || command -v llvm-cov-14'));
    $merge = trim((string)shell_exec('command -v llvm-profdata || command -v llvm-profdata-14'));
    @mkdir(WORK . '/lists', 0777, true);
    foreach (programs() as $program) {
        $made = "build/coverage/{$program}_test";
        if (!is_file($made) || seconds_before($program) < SHORT)
            continue;
        preg_match_all('/^\[ RUN      \] (\w+)/m', file_get_contents("$made.out"), $found);
        // Rename all lists together at the end: the lists of only some functions must not replace the list of the whole program.
        $made_now = [];
        foreach (count($found[1]) > 1 ? array_unique($found[1]) : [] as $function) {
            $list = WORK . "/lists/$program:$function";
            if (is_file("$list.lcov") && filemtime("$list.lcov") >= filemtime($made))
                continue;
            @unlink("$list.profraw");
            $before = processor_time();
            exec("LARDER_TEST=$function LLVM_PROFILE_FILE=$list%c.profraw timeout -k 10 600 $made >/dev/null 2>&1", $out, $code);
            $takes = processor_time() - $before;
            if ($code !== 0) {
                fwrite(STDERR, "$program:$function fails alone ($code), and is left out\n");
                continue;
            }
            must("$merge merge -sparse -o $list.profdata $list.profraw");
            must("$cov export $made -instr-profile=$list.profdata -format=lcov -skip-expansions core/src | grep -E '^(SF|DA):' >$list.part");
            $made_now[] = $list;
            file_put_contents("$list.seconds", (string)round($takes, 2));
        }
        foreach ($made_now as $list)
            rename("$list.part", "$list.lcov");
    }
}

/** @return list<string> the tests by name: programs, and functions of slow ones */
function all_tests(): array
{
    static $names = [];
    if ($names === []) {
        $slow = [];
        foreach (glob(WORK . '/lists/*.lcov') as $list)
            $slow[explode(':', basename($list))[0]][] = basename($list, '.lcov');
        foreach (programs() as $program)
            array_push($names, ...$slow[$program] ?? [$program]);
    }
    return $names;
}

/* Link a library from the objects of a folder and the unchanged objects of all other sources. */
function link_core(string $folder): bool
{
    $objects = array_filter(glob(WORK . '/obj/*.o'), fn($o) => !is_file($folder . '/' . basename($o)));
    exec("gcc -shared -pthread -o $folder/libcore.so " . implode(' ', glob("$folder/*.o")) . ' ' . implode(' ', $objects) . ' -lm 2>&1', $out, $code);
    return $code === 0;
}

/* Build the unchanged core and the tests, once. */
function build(): void
{
    foreach (['obj', 'tests', 'none'] as $folder)
        @mkdir(WORK . "/$folder", 0777, true);
    $newest = 0;
    foreach (array_merge(glob('core/src/*/*.[ch]'), glob('core/include/*.h')) as $file)
        $newest = max($newest, filemtime($file));
    foreach (glob('core/src/*/*.c') as $file)
        compile($file, WORK . '/obj/' . basename($file, '.c') . '.o', $newest);
    if (!link_core(WORK . '/none'))
        throw new RuntimeException('the core cannot be linked');
    compile('core/tests/support.c', WORK . '/tests/support.o', $newest);
    foreach (programs() as $test) {
        $from = source_of($test);
        $to = WORK . "/tests/$test";
        compile($from, "$to.o", $newest);
        /* The program fail_calls contains the core itself, and does not use it as a library. test() builds this program. */
        if ($test !== 'fail_calls' && (!is_file($to) || filemtime($to) < max(filemtime("$to.o"), filemtime(WORK . '/tests/support.o'))))
            must("gcc -pthread -o $to $to.o " . WORK . '/tests/support.o -L' . WORK . '/none -lcore -lcmocka -lm');
    }
}

/* Run a test with the core from this folder, up to the first check that fails. Gives the test a separate /dev/shm and separate process ids
 * if possible, because a mutant may leave files and processes behind. Returns the exit code, or 124 if the test took too long. */
function test(string $test, string $folder, int $limit, int $processor): int
{
    static $apart = null;
    if ($apart === null) {
        exec('unshare -p -f -m --mount-proc --kill-child mount -t tmpfs -o size=64m none /dev/shm 2>/dev/null', $out, $code);
        $apart = $code === 0 ? 'unshare -p -f -m --mount-proc --kill-child sh -c ' : 'setsid sh -c ';
    }
    [$name, $function] = [...explode(':', $test), ''];
    $program = WORK . "/tests/$name";
    if ($test === 'fail_calls') {
        $program = "$folder/fail_calls";
        $objects = array_filter(glob(WORK . '/obj/*.o'), fn($o) => !is_file($folder . '/' . basename($o)));
        exec('gcc -pthread -no-pie ' . getenv('FAIL_CALLS_WRAP') . " -o $program " . WORK . '/tests/fail_calls.o ' . WORK . '/tests/support.o ' .
            implode(' ', glob("$folder/*.o")) . ' ' . implode(' ', $objects) . ' -lcmocka -lm 2>/dev/null', $out, $code);
        if ($code !== 0)
            return 127; // if the unchanged core cannot be linked either, baseline() gets this code and leaves the test out
    }
    $inner = (str_starts_with($apart, 'unshare') ? 'mount -t tmpfs -o size=4g none /dev/shm && ' : '') .
        "ulimit -c 0; ulimit -t $processor; CMOCKA_TEST_ABORT=1 LARDER_TEST=$function LD_LIBRARY_PATH=$folder $program >/dev/null 2>&1; exit \$?";
    exec("timeout -k 2 $limit $apart " . escapeshellarg($inner) . ' >/dev/null 2>&1', $out, $code);
    return $code;
}

/* Returns the seconds of processor time that all ended children have taken. */
function processor_time(): float
{
    $usage = getrusage(1);
    return $usage['ru_utime.tv_sec'] + $usage['ru_utime.tv_usec'] / 1e6 + $usage['ru_stime.tv_sec'] + $usage['ru_stime.tv_usec'] / 1e6;
}

/* Returns the seconds and processor seconds that a test takes with the unchanged core. The first call measures them. If the test fails with
 * the unchanged core, returns -1 for both, and the caller leaves the test out. */
function baseline(string $test): array
{
    $file = WORK . '/baseline.json';
    $known = is_file($file) ? json_decode(file_get_contents($file), true) : [];
    if (isset($known[$test]))
        return $known[$test];
    static $left_out = []; // the tests that failed; not written to the file, because they may have failed only on a busy machine
    if (isset($left_out[$test]))
        return [-1, -1];
    for ($try = 1;; $try++) {
        $start = microtime(true);
        $before = processor_time();
        $code = test($test, WORK . '/none', 1800, 1000);
        $takes = [round(microtime(true) - $start, 2), round(processor_time() - $before, 2)];
        if ($code === 0)
            break;
        if ($try === 3) {
            fwrite(STDERR, "$test fails unchanged ($code), and is left out\n");
            $left_out[$test] = true;
            return [-1, -1];
        }
    }
    $known = is_file($file) ? json_decode(file_get_contents($file), true) : [];
    file_put_contents($file, json_encode([$test => $takes] + $known), LOCK_EX);
    return $takes;
}

/* Returns the processor seconds of a test in the last `make coverage`. They only decide which test comes first. */
function seconds_before(string $test): float
{
    $file = str_contains($test, ':') ? WORK . "/lists/$test.seconds" : "build/coverage/$test.seconds";
    $file = is_file($file) ? $file : "build/coverage/{$test}_test.seconds";
    return is_file($file) ? array_sum(array_map('floatval', explode(' ', trim(file_get_contents($file))))) : 5.0;
}

/* Returns the tests that ran each line in the last `make coverage`: file => line => tests. */
function lists(): array
{
    static $all = null;
    if ($all !== null)
        return $all;
    $all = [];
    foreach ([...glob('build/coverage/*.lcov'), ...glob(WORK . '/lists/*.lcov')] as $list) {
        $test = preg_replace('/_test$/', '', basename($list, '.lcov'));
        $name = '';
        foreach ($test === 'all' ? [] : file($list, FILE_IGNORE_NEW_LINES) as $line)
            if (str_starts_with($line, 'SF:'))
                $name = preg_replace('~^.*/core/src/(.*)\.c$~', '$1', $line);
            elseif (preg_match('/^DA:(\d+),([1-9]\d*)/', $line, $found) === 1)
                $all[$name][(int)$found[1]][] = $test;
    }
    return $all;
}

/* Returns the tests that ran the line of a mutant. Returns null if no lists of tests exist: lists() reads them. */
function tests_of(array $mutant): ?array
{
    $lines = lists()[$mutant['file']] ?? [];
    if (lists() === [])
        return null;
    $new = file_get_contents("core/src/{$mutant['file']}.c");
    $listed = "build/coverage/src/{$mutant['file']}.c";
    $old = is_file($listed) ? file_get_contents($listed) : $new;
    $from = function_at(functions($new), $mutant['at']);
    $code = code_number(functions($new)[$from]);
    foreach (functions($old) as $old_from => $text)
        if (code_number($text) === $code) {
            $before = count(tokens(substr($new, $from, $mutant['at'] - $from)));
            $at = tokens($text)[$before][2] ?? 0;
            return $lines[line_of($old, $old_from + $at)] ?? [];
        }
    $tests = [];
    foreach (functions($old) as $old_from => $text)
        if (preg_match('/\b' . $mutant['function'] . '\([^;{}]*\)\s*\{/', $text) === 1)
            for ($line = line_of($old, $old_from); $line < line_of($old, $old_from + strlen($text)); $line++)
                array_push($tests, ...$lines[$line] ?? []);
    return $tests === [] ? null : array_values(array_unique($tests));
}

/* Returns two lists by mutant, from earlier runs. The first has the results for the present code. The second has the tests that killed the mutant
 * when the code was different. */
function results(array $mutants): array
{
    $codes = array_column($mutants, 'code', 'id');
    $known = [];
    $hints = [];
    foreach (is_file(WORK . '/results.tsv') ? file(WORK . '/results.tsv', FILE_IGNORE_NEW_LINES) : [] as $line) {
        [$id, $state, $by, , , , , , $code] = [...explode("\t", $line), ''];
        if ($code === ($codes[$id] ?? null) && ($known[$id][0] ?? '') !== 'killed')
            $known[$id] = [$state, $by];
        elseif ($state === 'killed')
            $hints[$id] = $by;
    }
    return [$known, $hints];
}

function keep(array $mutant, string $state, string $by): void
{
    $line = implode("\t", [$mutant['id'], $state, $by, $mutant['file'], (string)$mutant['line'], $mutant['function'], $mutant['kind'], $mutant['text'],
        $mutant['code']]);
    file_put_contents(WORK . '/results.tsv', "$line\n", FILE_APPEND | LOCK_EX);
    echo "$line\n";
}

/* Returns true if a test fails with the core from this folder. If the test takes too long, other programs may have slowed it down. So the
 * test then also runs with the unchanged core, to see how long it takes now. */
function fails(string $test, string $folder, array $takes): bool
{
    [$seconds, $processor] = $takes;
    $seconds = min($seconds, 4 * $processor + 10); // the recorded time may come from a busy machine, so limit it
    for ($try = 0; $try < 3; $try++) {
        $code = test($test, $folder, (int)ceil($seconds * 4 + 8), (int)ceil($processor * 4 + 4));
        if ($code !== 124 && $code !== 137)
            break;
        $start = microtime(true);
        test($test, WORK . '/none', 1800, 1000);
        $now = microtime(true) - $start;
        if ($now < 2 * $seconds + 2)
            break;
        $seconds = $now;
    }
    return $code !== 0;
}

/* Tries tests on one mutant, in the given order, until their times with the unchanged core add up to $most seconds. Returns the state and a
 * text: the test that killed the mutant, or the tests that it has passed. In state "open", some tests were not tried yet. */
function try_mutant(array $mutant, array $tests, array $passed, float $most): array
{
    $name = basename($mutant['file']);
    $folder = WORK . '/try-' . getmypid();
    @mkdir($folder, 0777, true);
    $source = file_get_contents("core/src/{$mutant['file']}.c");
    $changed = substr_replace($source, $mutant['instead'], $mutant['at'], $mutant['length']);
    $extra = '-Icore/src/' . dirname($mutant['file']);
    $out = [];
    array_map('unlink', glob("$folder/*"));
    file_put_contents("$folder/$name.c", $changed);
    exec('gcc ' . FLAGS . " $extra -c -o $folder/$name.o $folder/$name.c 2>/dev/null", $out, $code);
    if ($code !== 0)
        return ['no code', ''];
    if (code_of("$folder/$name.o") === code_of(WORK . "/obj/$name.o"))
        return ['same code', ''];
    if ($tests === [])
        return ['survived', NO_TEST];
    if (!link_core($folder))
        return ['no code', ''];
    $spent = 0;
    $passed = array_filter($passed, fn($test) => $test === version(explode('@', $test)[0])); // keep the tests whose file has not changed
    foreach ($passed as $test)
        $spent += baseline(explode('@', $test)[0])[1];
    foreach ($tests as $test) {
        if (has_passed($test, $passed))
            continue;
        $takes = baseline($test);
        if ($takes[1] < 0)
            continue;
        if ($spent > 0 && $spent + $takes[1] > $most)
            return $most >= max(ROUNDS) ? ['survived', implode(',', $passed)] : ['open', implode(',', $passed)];
        if (fails($test, $folder, $takes))
            return ['killed', $test];
        $passed[] = version($test);
        $spent += $takes[1];
    }
    return ['survived', implode(',', $passed)];
}

function code_of(string $object): string
{
    return (string)shell_exec("objdump -d -r -s -j .text -j .text.hot -j .text.unlikely -j .rodata -j .data $object 2>/dev/null | tail -n +4 | sha1sum");
}

function report(array $mutants): int
{
    [$known] = results($mutants);
    $explained = [];
    foreach (is_file('core/tests/mutants.txt') ? file('core/tests/mutants.txt', FILE_IGNORE_NEW_LINES) : [] as $line)
        if ($line !== '' && $line[0] !== '#') {
            [$file, $function, $text, $reason] = array_map('trim', explode(' | ', $line));
            $explained["$file|$function|$text"] = $reason;
        }
    $states = [];
    $kinds = [];
    $files = [];
    $left = [];
    foreach ($mutants as $m) {
        $state = $known[$m['id']][0] ?? 'not tried';
        $state = $state === 'open' ? 'survived' : $state; // the mutant has survived the tests so far
        $states[$state] = ($states[$state] ?? 0) + 1;
        if ($state === 'killed' || $state === 'survived') {
            $kinds[$m['kind']][$state] = ($kinds[$m['kind']][$state] ?? 0) + 1;
            $files[$m['file']][$state] = ($files[$m['file']][$state] ?? 0) + 1;
        }
        if ($state === 'survived')
            $left[] = $m;
    }
    foreach ([$kinds, $files] as $table)
        foreach ($table as $name => $row)
            printf("%-24s %4d killed %4d survived\n", $name, $row['killed'] ?? 0, $row['survived'] ?? 0);
    foreach ($left as $m)
        printf("survived  %s.c:%d %s: %s: %s%s\n", $m['file'], $m['line'], $m['function'], $m['kind'], $m['text'],
            isset($explained["{$m['file']}|{$m['function']}|{$m['text']}"]) ? '  (' . $explained["{$m['file']}|{$m['function']}|{$m['text']}"] . ')' : '');
    $killed = $states['killed'] ?? 0;
    $mutant = $killed + ($states['survived'] ?? 0);
    printf("mutants=%d killed=%d survived=%d share=%.1f%% same_code=%d not_tried=%d\n", $mutant, $killed, $states['survived'] ?? 0,
        $mutant > 0 ? 100 * $killed / $mutant : 0, $states['same code'] ?? 0, $states['not tried'] ?? 0);
    return $mutant > 0 && $killed >= 0.9 * $mutant ? 0 : 1;
}

function usage(): never
{
    fwrite(STDERR, "usage: php tools/mutants.php [--number N] [--file FOLDER/NAME]... [--seconds N] [--jobs N] [--report | --list]\n");
    exit(2);
}

function main(array $arguments): int
{
    $number = 480;
    $files = [];
    $seconds = 1000000;
    $mode = 'run';
    $jobs = 1;
    [$part, $parts, $most] = [-1, 1, 0]; // set by --part, which this program passes to the processes that it starts in each round
    for ($i = 1; $i < count($arguments); $i++)
        match ($arguments[$i]) {
            '--number' => $number = (int)$arguments[++$i],
            '--file' => $files[] = $arguments[++$i],
            '--seconds' => $seconds = (int)$arguments[++$i],
            '--jobs' => $jobs = max(1, (int)$arguments[++$i]),
            '--part' => [$part, $parts, $most] = array_map('intval', explode('/', $arguments[++$i])),
            '--report', '--list' => $mode = substr($arguments[$i], 2),
            default => usage(),
        };
    $mutants = mutants(PROTOCOL, $number);
    if ($files !== [])
        $mutants = array_values(array_filter($mutants, fn($m) => in_array($m['file'], $files, true)));
    if ($mode === 'list') {
        foreach ($mutants as $m)
            printf("%s %s.c:%d %s: %s: %s\n", $m['id'], $m['file'], $m['line'], $m['function'], $m['kind'], $m['text']);
        printf("%d\n", count($mutants));
        return 0;
    }
    if ($mode === 'report')
        return report($mutants);
    $start = microtime(true);
    if ($part < 0) {
        build();
        list_functions();
        foreach (ROUNDS as $most) {
            $left = (int)($seconds - (microtime(true) - $start));
            if ($left <= 0)
                break;
            $running = [];
            for ($job = 0; $job < $jobs; $job++)
                $running[] = proc_open([PHP_BINARY, ...$arguments, '--seconds', (string)$left, '--part', "$job/$jobs/$most"], [], $pipes);
            array_map('proc_close', $running);
        }
        return report($mutants);
    }
    [$known, $hints] = results($mutants);
    $kills = []; // for each file, how many of its mutants each test has killed
    foreach ($mutants as $m) {
        $by = ($known[$m['id']][0] ?? '') === 'killed' ? $known[$m['id']][1] : $hints[$m['id']] ?? '';
        if ($by !== '')
            $kills[$m['file']][$by] = ($kills[$m['file']][$by] ?? 0) + 1;
    }
    foreach ($mutants as $number => $m) {
        [$state, $by] = $known[$m['id']] ?? ['', ''];
        if ($number % $parts !== $part)
            continue;
        $tests = array_values(array_intersect(tests_of($m) ?? all_tests(), all_tests()));
        $passed = in_array($by, ['', NO_TEST], true) ? [] : explode(',', $by);
        $is_tested_again = $state === 'survived' && array_filter($tests, fn($test) => !has_passed($test, $passed)) !== [];
        if ($state !== '' && !($most === min(ROUNDS) ? $is_tested_again : $state === 'open'))
            continue;
        if (microtime(true) - $start > $seconds)
            break;
        /* Estimate how many mutants each test kills per second, from earlier results for this file. */
        $worth = [];
        $hint = explode(':', $hints[$m['id']] ?? '')[0];
        foreach ($tests as $test)
            $worth[$test] = (($kills[$m['file']][$test] ?? 0) + 0.3) / (seconds_before($test) + 0.3) * (explode(':', $test)[0] === $hint ? 100 : 1);
        usort($tests, fn($a, $b) => $worth[$b] <=> $worth[$a]);
        [$state, $by] = try_mutant($m, $tests, $passed, $most);
        if ($state === 'killed')
            $kills[$m['file']][$by] = ($kills[$m['file']][$by] ?? 0) + 1;
        $known[$m['id']] = [$state, $by];
        keep($m, $state, $by);
    }
    return 0;
}

putenv('CCACHE_DISABLE=1'); // each mutant is compiled only once
exit(main($argv));
