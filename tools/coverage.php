<?php
/* coverage.php - lists the lines and branches of core/src that no test ran, by function, from an lcov file. Prints the shares that ran.
 * core/tests/uncovered.txt has the reasons (FILE FUNCTION REASON; a function of * stands for the whole file).
 *
 *   php tools/coverage.php FILE.lcov LINES BRANCHES    exit code 1 if a share is below its limit, a function has no reason, or a reason is stale
 *
 * A reason is stale if tests now run all of its function, unless it begins with "at times:" (the lines run only in a certain order of
 * processes). The shipped library contains no assertions, no deliberate faults (LRD__CONTROL) and no preprocessor lines, so these lines are
 * left out. */
declare(strict_types=1);

/** @return array<int, true> the lines that are not in the shipped library: assertions, deliberate faults (LRD__CONTROL) and preprocessor lines */
function not_shipped(string $source): array
{
    preg_match_all('/\blrd__assert\w*\s*(\((?:[^()]++|(?1))*\))|\b_Static_assert\s*(\((?:[^()]++|(?2))*\))/', $source, $found, PREG_OFFSET_CAPTURE);
    $lines = [];
    foreach ($found[0] as [$text, $at]) {
        $first = substr_count($source, "\n", 0, $at) + 1;
        for ($line = $first; $line <= $first + substr_count($text, "\n"); $line++)
            $lines[$line] = true;
    }
    foreach (explode("\n", $source) as $n => $line)
        if (preg_match('/^\s*#|\bLRD__CONTROL\(|\b\w+_control_\w+\(/', $line) === 1)
            $lines[$n + 1] = true;
    return $lines;
}

$reasons = [];
foreach (is_file('core/tests/uncovered.txt') ? file('core/tests/uncovered.txt', FILE_IGNORE_NEW_LINES) : [] as $line)
    if ($line !== '' && $line[0] !== '#') {
        [$file, $function, $reason] = explode(' ', $line, 3);
        $reasons["$file $function"] = $reason;
    }

$lines = $lines_run = $branches = $branches_run = $unexplained = 0;
$open = []; // by file and function: the lines and branches that no test ran
$file = '';
$functions = $skipped = $text = [];
foreach (file($argv[1], FILE_IGNORE_NEW_LINES) as $line) {
    [$kind, $rest] = explode(':', $line, 2) + [1 => ''];
    if ($kind === 'SF') {
        $file = preg_replace('~^.*?core/src/~', '', $rest);
        $source = str_contains($rest, '/core/src/') ? (string)file_get_contents($rest) : '';
        $skipped = not_shipped($source);
        $text = explode("\n", $source);
        $functions = [];
    }
    if ($text === ['']) // the file is not in core/src
        continue;
    if ($kind === 'FN') {
        [$at, $name] = explode(',', $rest);
        $functions[(int)$at] = preg_replace('/^.*:/', '', $name);
    }
    if ($kind !== 'DA' && $kind !== 'BRDA')
        continue;
    $parts = explode(',', $rest);
    $at = (int)$parts[0];
    if (isset($skipped[$at]))
        continue;
    $ran = $kind === 'DA' ? $parts[1] !== '0' : $parts[3] !== '0' && $parts[3] !== '-';
    if ($kind === 'DA') {
        $lines++;
        $lines_run += (int)$ran;
    } else {
        $branches++;
        $branches_run += (int)$ran;
    }
    if (!$ran) {
        $name = '?';
        $nearest = 0;
        foreach ($functions as $first => $function)
            if ($first <= $at && $first > $nearest)
                [$nearest, $name] = [$first, $function];
        $open["$file $name"][$at][$kind === 'DA' ? 'line' : 'branch'] = ($kind === 'DA' ? '' : ((int)$parts[2] % 2 === 0 ? 'true' : 'false')) . trim($text[$at - 1] ?? '');
    }
}
foreach ($open as $where => $list) {
    $reason = $reasons[$where] ?? $reasons[explode(' ', $where)[0] . ' *'] ?? null;
    $unexplained += $reason === null ? 1 : 0;
    printf("%s: %s\n", $where, $reason ?? 'no reason is given');
    ksort($list);
    foreach ($list as $at => $what)
        if (isset($what['line']))
            printf("  %5d          %s\n", $at, $what['line']);
        else
            printf("  %5d never %s  %s\n", $at, str_starts_with($what['branch'], 'true') ? 'true ' : 'false', preg_replace('/^(true|false)/', '', $what['branch']));
}
$stale = [];
foreach ($reasons as $where => $reason) {
    [$file, $function] = explode(' ', $where);
    $used = $function === '*' ? array_filter(array_keys($open), fn($one) => str_starts_with($one, "$file ")) : isset($open[$where]);
    if (!$used && !str_starts_with($reason, 'at times:'))
        $stale[] = $where;
}
foreach ($stale as $where)
    echo "stale: $where: tests run all of it; remove its line of core/tests/uncovered.txt\n";
$line_share = 100 * $lines_run / max(1, $lines);
$branch_share = 100 * $branches_run / max(1, $branches);
printf("lines=%d run=%d (%.1f%%) branches=%d run=%d (%.1f%%) functions_without_reason=%d stale_reasons=%d\n",
    $lines, $lines_run, $line_share, $branches, $branches_run, $branch_share, $unexplained, count($stale));
exit($line_share >= (float)$argv[2] && $branch_share >= (float)$argv[3] && $unexplained === 0 && $stale === [] ? 0 : 1);
