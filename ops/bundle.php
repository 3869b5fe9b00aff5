<?php

/*
 * Makes one file of the command, the dashboard and the metrics: php ops/bundle.php build/larder.php
 */

declare(strict_types=1);

$main = (string) file_get_contents(__DIR__ . '/main.php');
$start = strpos($main, 'foreach (glob(');
$end = strpos($main, "}\n", (int) $start) + 2;
$head = "<?php\n\n/*\n * larder: the command, the dashboard and the metrics of Larder, in one file. Made by ops/bundle.php.\n */\n\ndeclare(strict_types=1);\n\nnamespace Larder\\Ops;\n\n";
$body = '';
foreach (glob(__DIR__ . '/src/*.php') ?: [] as $file) {
    $text = (string) file_get_contents($file);
    $body .= trim((string) preg_replace('/^<\?php\s+declare\(strict_types=1\);\s+namespace Larder\\\\Ops;\s+(use [^;]+;\s+)*/', '', $text)) . "\n\n";
}
preg_match_all('/^use [^;]+;$/m', implode("\n", array_map(file_get_contents(...), glob(__DIR__ . '/src/*.php') ?: [])), $uses);
$body = implode("\n", array_unique($uses[0])) . "\n\n" . $body . substr($main, $end);
$target = $argv[1] ?? 'php://stdout';
file_put_contents($target, $head . $body);
