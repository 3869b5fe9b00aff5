<?php

/*
 * Prints a shell script that runs the steps of a Dockerfile in one root: php packaging/tests/dockerfile.php DOCKERFILE CONTEXT.
 * CONTEXT is a folder. All stages share the root, so COPY --from copies within it. An unknown instruction is an error.
 */

declare(strict_types=1);

[, $file, $context] = $argv + ['', '', ''];
is_file($file) || exit("usage: php dockerfile.php DOCKERFILE CONTEXT\n");
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
            preg_match('/^php:\$\{PHP\}( AS (\w+))?$/', $rest, $match) || exit("$file: FROM $rest\n");
            $stages[] = $match[2] ?? '';
            echo "cd /\n";
            break;
        case 'WORKDIR':
            echo "mkdir -p $rest && cd $rest\n";
            break;
        case 'COPY':
            if (str_starts_with($words[0], '--from=')) {
                in_array(substr(array_shift($words), 7), $stages, true) || exit("$file: no such stage: $rest\n");
                [$from, $to] = $words;
                str_starts_with($from, '/out/') || exit("$file: only what a stage puts into /out is copied: $rest\n");
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
            exit("$file: $instruction is not known here\n");
    }
}
count($stages) === 2 || exit("$file: two stages are expected\n");
