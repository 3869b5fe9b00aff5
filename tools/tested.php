<?php
/* tested.php - makes docs/how-larder-is-tested.md from the figures of the last long runs.
 *   php tools/tested.php                    writes the page
 *   php tools/tested.php --check            exit code 1 if the page differs
 *   php tools/tested.php --record NAME LOG  keeps the figures of a run: the last line of LOG, with the day and the commit
 * The figures are in core/tests/proof/figures.tsv. `make tested` runs each of RUNS and records it. */
declare(strict_types=1);

const FIGURES = 'core/tests/proof/figures.tsv';
const PAGE = 'docs/how-larder-is-tested.md';
/* By name: title, command, explanation. */
const RUNS = [
    'kills' => ['Death at each instruction', 'make kill-everywhere FORM=--long',
        'Steps through each operation and kills it after each instruction. Another process must find every key old or new, and each count exact. ' .
        'The run has 40 parts; the figure says how many have ended.'],
    'kill-controls' => ['Broken code, killed', 'make kill-everywhere-control',
        'Breaks the core in one place at a time. The first kill that matters must reveal it.'],
    'histories' => ['Histories', 'make histories FORM=--long',
        'Four processes call at once and die at random. A search must find an order of the calls that explains all answers.'],
    'model' => ['The protocol as a model', 'make model',
        'Spin visits every state of three processes that read, write, die and recover. Seven broken variants must fail.'],
    'calls' => ['System calls that fail', 'make fail-calls',
        'Each system call of the core, and each request for private memory, fails once, then for ever. Each public call must succeed or name its error.'],
    'coverage' => ['Lines and branches', 'make coverage',
        'Counts what the core\'s tests run, with kills at each instruction, histories and failing calls, in the build that is shipped, ' .
        'without assertions. `core/tests/uncovered.txt` says why the rest is not run.'],
    'mutants' => ['Mutants', 'make mutants',
        'Changes one thing in the protocol\'s files. A test must fail within ten minutes of tests. `core/tests/mutants.txt` explains survivors. ' .
        'The figure says how many are not tried yet. A mutant that some test has still to try counts as a survivor.'],
];

/** @return array<string, list<string>> */
function figures(): array
{
    $known = [];
    foreach (is_file(FIGURES) ? file(FIGURES, FILE_IGNORE_NEW_LINES) : [] as $line) {
        [$name, $day, $commit, $figures] = explode("\t", $line);
        $known[$name] = [$day, $commit, $figures];
    }
    return $known;
}

function page(): string
{
    $known = figures();
    $text = "# How Larder is tested\n\n" .
        "For anyone who asks how we know that a process may die at any instruction: the proofs, and what each of them found.\n" .
        "`php tools/tested.php` writes it from the figures of the last long runs. [Testing](testing.md) has the other checks.\n\n" .
        "| what | command | figures of the last run | day, commit |\n|---|---|---|---|\n";
    foreach (RUNS as $name => [$title, $command]) {
        [$day, $commit, $figures] = $known[$name] ?? ['', '', 'not run yet'];
        $text .= "| $title | `$command` | " . str_replace('|', '\\|', $figures) . " | $day $commit |\n";
    }
    $text .= "\n## What each does\n\n";
    foreach (RUNS as [$title, , $does])
        $text .= "- **$title.** $does\n";
    return $text . <<<'END'

## Limits

- Each run uses one machine with x86-64. Its processors order memory strictly, so a weakened order changes no answer there. The
  enumerator and herd7 judge the orders ([testing](testing.md)).
- Single steps stop one process at a time. Faults that need three processes at certain instructions appear in the model and in the
  random runs only.
- A kill leaves the memory of the file whole. Damage to the file itself is the subject of `damage_test` and of the fuzzers.
- Coverage counts the core. The extensions for PHP and Ruby have their own tests.

END;
}

$mode = $argv[1] ?? '';
if ($mode === '--record' && isset(RUNS[$argv[2] ?? '']) && is_file($argv[3] ?? '')) {
    $lines = array_values(array_filter(file($argv[3], FILE_IGNORE_NEW_LINES), fn($line) => trim($line) !== ''));
    $known = figures();
    $known[$argv[2]] = [date('Y-m-d'), trim((string)shell_exec('git rev-parse --short HEAD')), strtr(end($lines) ?: 'nothing', "\t", ' ')];
    ksort($known);
    file_put_contents(FIGURES, implode('', array_map(fn($name, $row) => implode("\t", [$name, ...$row]) . "\n", array_keys($known), $known)));
} elseif ($mode !== '' && $mode !== '--check') {
    fwrite(STDERR, "usage: php tools/tested.php [--check | --record NAME LOG]\n");
    exit(2);
}
if ($mode === '--check') {
    if (!is_file(PAGE) || file_get_contents(PAGE) !== page()) {
        fwrite(STDERR, PAGE . " is not what php tools/tested.php writes\n");
        exit(1);
    }
    exit(0);
}
file_put_contents(PAGE, page());
