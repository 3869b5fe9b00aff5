<?php

/*
 * Prints a shell script that runs the steps of a Dockerfile: php packaging/tests/dockerfile.php DOCKERFILE CONTEXT. CONTEXT is a folder.
 * The script runs all stages in one root folder, so COPY --from copies within this folder. An unknown instruction is an error.
 */

declare(strict_types=1);

[, $file, $context] = $argv + ['', '', ''];
is_file($file) || fail("usage: php packaging/tests/dockerfile.php DOCKERFILE CONTEXT");
$text = (string) preg_replace('/^#.*\n/m', '', (string) file_get_contents($file));
$stages = [];
echo "set -eu\n";
foreach (explode("\n", trim((string) preg_replace('/\\\\\n\s*/', '', $text))) as $line) {
    if (trim($line) === '') {
        continue;
    }
    [$instruction, $rest] = explode(' ', $line, 2) + ['', ''];
    $words = preg_split('/\s+/', trim($rest)) ?: [];
    switch ($instruction) {
        case 'ARG':
            break;
        case 'FROM':
            preg_match('/^php:\$\{PHP\}( AS (\w+))?$/', $rest, $match) || fail("$file: FROM $rest");
            $stages[] = $match[2] ?? '';
            echo "cd /\n";
            break;
        case 'WORKDIR':
            echo "mkdir -p $rest && cd $rest\n";
            break;
        case 'COPY':
            if (str_starts_with($words[0], '--from=')) {
                in_array(substr(array_shift($words), 7), $stages, true) || fail("$file: no such stage: $rest");
                [$from, $to] = $words;
                str_starts_with($from, '/out/') || fail("$file: only what a stage puts into /out is copied: $rest");
            } else {
                [$from, $to] = $words;
                $from = "$context/$from";
            }
            echo "mkdir -p $to && cp -r $from/. $to/\n";
            break;
        case 'RUN':
            echo 'sh -c ', escapeshellarg($rest), "\n";
            break;
        default:
            fail("$file: $instruction is not known here");
    }
}
count($stages) === 2 || fail("$file: two stages are expected");

function fail(string $text): never
{
    fwrite(STDERR, "$text\n");
    exit(1);
}
