<?php

/* calls.php - CPU time in ns of reading one file again and again.
 *   php calls.php FILE CALLS file|apcu */

declare(strict_types=1);

[, $file, $calls, $how] = $argv;
$size = filesize($file);
$expected = md5_file($file);
$cpu = function (): int {
    $usage = getrusage();
    return (($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1000000 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1000;
};
if ($how === 'apcu') {
    apcu_store($file, file_get_contents($file));
    $run = function (int $calls) use ($file, $size): void {
        for ($i = 0; $i < $calls; $i++) {
            strlen(apcu_fetch($file)) === $size || exit(1);
        }
    };
    $read = fn(): string => apcu_fetch($file);
} else {
    $run = function (int $calls) use ($file, $size): void {
        for ($i = 0; $i < $calls; $i++) {
            strlen(file_get_contents($file)) === $size || exit(1);
        }
    };
    $read = fn(): string => file_get_contents($file);
}
$run(1000);
md5($read()) === $expected || exit(1);
$start = $cpu();
$run((int) $calls);
$time = ($cpu() - $start) / $calls;
md5($read()) === $expected || exit(1);
if ($how === 'larder' && Larder\FileCache::info()->hits < $calls) {
    exit(1); // only hits are measured
}
echo $time, "\n";
