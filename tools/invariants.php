<?php
/* Checks that the names in the tables of documents exist.
 * - docs/invariants.md has a row for each invariant that the head of a file of core/src lists, in the same order. The row names the first
 *   words of the invariant, the functions that check it, and the tests.
 * - docs/architecture.md has tables between "walk" comments, whose rows name a file and functions of it.
 *   php tools/invariants.php            names each row that is wrong; exit code 1 if there is one
 *   php tools/invariants.php --control  looks for planted faults, which must be found */

declare(strict_types=1);

/** @return list<string> */
function bullets(string $source): array
{
    if (!preg_match('~^/\*(.*?)\*/~s', $source, $head) || !preg_match('~^ \* Invariants[^\n]*\n(.*)~ms', $head[1], $list)) {
        return [];
    }
    $bullets = [];
    foreach (explode("\n", $list[1]) as $line) {
        if (preg_match('/^ \*\s+- (.*)/', $line, $match)) {
            $bullets[] = $match[1];
        } elseif ($bullets !== [] && preg_match('/^ \*\s{2,}(\S.*)/', $line, $match)) {
            $bullets[count($bullets) - 1] .= " $match[1]";
        } elseif (trim($line, ' *') !== '') {
            break;
        }
    }
    return $bullets;
}

/** @return list<list<string>> */
function rows(string $table): array
{
    preg_match_all('/^\|(?!-)(.*)\|$/m', $table, $lines);
    return array_map(fn(string $line): array => array_map(trim(...), explode('|', $line)), array_slice($lines[1], 1));
}

function defines(string $source, string $function): bool
{
    return preg_match('/^[^\s#\/*][^;{}]*\b' . $function . '\([^;{}]*\)\s*\{/m', $source) === 1;
}

/** @return list<string> */
function wrong_invariants(string $root, string $page): array
{
    $wrong = [];
    $checker = file_get_contents("$root/core/src/calls/fsck.c") . file_get_contents("$root/core/src/mending/queue_check.c");
    $sections = preg_split('/^## (\S+)$/m', $page, -1, PREG_SPLIT_DELIM_CAPTURE) ?: [];
    $tables = [];
    for ($i = 1; $i < count($sections); $i += 2) {
        $tables[$sections[$i]] = rows($sections[$i + 1]);
    }
    foreach (glob("$root/core/src/{*/,}*.[ch]", GLOB_BRACE) ?: [] as $path) {
        $file = basename($path);
        $bullets = bullets((string) file_get_contents($path));
        $rows = $tables[$file] ?? [];
        unset($tables[$file]);
        if (count($rows) !== count($bullets)) {
            $wrong[] = "$file states " . count($bullets) . ' invariants at its head, the page has ' . count($rows);
            continue;
        }
        foreach ($rows as $i => [$text, $functions, $tests]) {
            $begins = preg_replace('/ \.\.\.$/', '', $text);
            if (!str_starts_with($bullets[$i], (string) $begins)) {
                $wrong[] = "$file: \"$text\" is not how its invariant " . ($i + 1) . ' begins';
            }
            preg_match_all('/`(\w+)\(\)`/', $functions, $match);
            foreach ($match[1] as $function) {
                if (!defines($checker, $function)) {
                    $wrong[] = "$file: the checker has no $function()";
                }
            }
            preg_match_all('/`(\w+)`(?:: `([\w-]+)`)?/', $tests, $match, PREG_SET_ORDER);
            if ($match === []) {
                $wrong[] = "$file: \"$text\" has no test";
            }
            foreach ($match as $test) {
                $source = @file_get_contents("$root/core/tests/$test[1].c");
                $name = $test[2] ?? '';
                if ($source === false || !($name === '' ? str_starts_with($test[1], 'fuzz_') : defines($source, $name) || str_contains($source, "\"$name\""))) {
                    $wrong[] = "$file: there is no test $test[1]" . ($name === '' ? '' : ": $name");
                }
            }
        }
    }
    return [...$wrong, ...array_map(fn(string $file): string => "$file states no invariants", array_keys($tables))];
}

/** @return list<string> */
function wrong_walks(string $root, string $page): array
{
    $wrong = [];
    preg_match_all('/<!-- walk -->(.*?)<!-- \/walk -->/s', $page, $walks);
    foreach ($walks[1] as $walk) {
        foreach (rows($walk) as $row) {
            $source = $folder = '';
            $files = [];
            foreach ($row as $cell) {
                preg_match_all('/`([\w\/]+\.[ch])`/', $cell, $match);
                $files = $files ?: $match[1];
            }
            foreach ($files as $file) {
                $folder = str_contains($file, '/') ? dirname($file) : $folder;
                $path = $folder . '/' . basename($file);
                is_file("$root/$path") ? $source .= file_get_contents("$root/$path") : $wrong[] = "there is no $path";
            }
            preg_match_all('/`(\w+)\(\)`/', implode(' ', array_slice($row, 0, 3)), $match);
            foreach ($match[1] as $function) {
                if (!defines($source, $function)) {
                    $wrong[] = implode(', ', $files) . " has no $function()";
                }
            }
        }
    }
    return $walks[1] === [] ? ['there is no walk'] : $wrong;
}

$root = dirname(__DIR__);
$pages = array_map(fn(string $page): string => (string) file_get_contents("$root/docs/$page.md"), ['invariants', 'architecture']);
if (($argv[1] ?? '') === '--control') {
    $plants = [
        [wrong_invariants(...), $pages[0], '`fsck_wheel()`', '`fsck_gone()`', 'expiry.c: the checker has no fsck_gone()'],
        [wrong_invariants(...), $pages[0], '`no-zone`', '`no-such`', 'zone.c: there is no test pressure_test: no-such'],
        [wrong_invariants(...), $pages[0], "\n| small_bytes", "\n| large_bytes", 'evict.c: "large_bytes'],
        [wrong_invariants(...), $pages[0], "\n## write.c", "\n## wrote.c", 'write.c states 3 invariants at its head, the page has 0'],
        [wrong_walks(...), $pages[1], '`get_hashed()`', '`get_lost()`', 'core/src/calls/get.c has no get_lost()'],
        [wrong_walks(...), $pages[1], '`core/src/entries/evict.c`', '`core/src/evicted.c`', 'there is no core/src/evicted.c'],
    ];
    foreach ($plants as [$check, $page, $from, $to, $expected]) {
        $found = array_filter($check($root, str_replace($from, $to, $page)), fn(string $line): bool => str_starts_with($line, $expected));
        if (!str_contains($page, $from) || $found === []) {
            fwrite(STDERR, "invariants: the planted $to was not found\n");
            exit(1);
        }
    }
    exit;
}
$wrong = [];
foreach (wrong_invariants($root, $pages[0]) as $line) {
    $wrong[] = "docs/invariants.md: $line\n";
}
foreach (wrong_walks($root, $pages[1]) as $line) {
    $wrong[] = "docs/architecture.md: $line\n";
}
fwrite(STDERR, implode('', $wrong));
exit($wrong === [] ? 0 : 1);
