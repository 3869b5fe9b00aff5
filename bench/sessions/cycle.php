<?php

/* cycle.php - starts, changes, writes and closes a session, again and again in one process. Prints the CPU time of a cycle in ns.
 *   php cycle.php HANDLER PATH CYCLES one|random */

declare(strict_types=1);

require __DIR__ . '/app/visit.php';

[, $handler, $path, $cycles, $which] = $argv;
ob_start();
foreach (['use_cookies', 'gc_probability'] as $off) {
    ini_set("session.$off", '0');
}
ini_set('session.cache_limiter', '');
use_sessions($handler, $path);
$cpu = function (): int {
    $usage = getrusage();
    return (($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1000000 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']) * 1000;
};
$visits = [];
$run = function (int $cycles) use ($which, &$visits): void {
    for ($i = 0; $i < $cycles; $i++) {
        $id = $which === 'one' ? 'cli' : 'c' . $i % 1000;
        $count = visit($id);
        $visits[$id] ??= $count - 1;
        ++$visits[$id] === $count || throw new RuntimeException("$id counts $count");
    }
};
$run(2000);
$start = $cpu();
$run((int) $cycles);
$time = ($cpu() - $start) / $cycles;
ob_end_clean();
echo $time, "\n";
