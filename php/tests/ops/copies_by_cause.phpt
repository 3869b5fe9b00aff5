--TEST--
larder: ops: reads that got a copy are counted by cause: in the statistics, the command and the metrics
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$folder = ops_folder();
$settings = ['-d', 'larder.enable_cli=1', '-d', "larder.path=$folder", '-d', 'larder.scope=app', '-d', 'larder.volatile_size=4M', '-d', 'larder.collect=0'];
/* The strings take 2 MB. One request may hold 1 MB, a quarter of the store. */
echo ops_php(implode(' ', $settings), <<<'CODE'
    for ($i = 0; $i < 100; $i++) V::set("k$i", str_repeat(chr(65 + $i % 26), 20000));
    for ($i = 0; $i < 100; $i++) $held[] = V::get("k$i");
    echo strlen(implode($held)), "\n";
    CODE);
$run = function (string ...$words) use ($settings): string {
    $command = ops_command(...$words);
    array_splice($command, 2, 0, $settings);
    return (string) shell_exec(implode(' ', array_map('escapeshellarg', $command)));
};
$stats = json_decode($run('stats', '--json'), true)['stores']['volatile'];
echo json_encode([array_keys($stats['copy_causes']), array_sum($stats['copy_causes']) === $stats['copies'], $stats['copy_causes']['memory'] > 10, $stats['copy_causes']['time'], $stats['copy_causes']['number']]), "\n";
echo str_contains(preg_replace('/\s+/', ' ', $run('stats')), "$stats[copies] copied (memory $stats[copies])") ? "shown\n" : $run('stats');
echo preg_replace('/ \d\d+$/m', ' N', implode("\n", preg_grep('/^larder_copies_total.*"volatile"/', explode("\n", $run('stats', '--openmetrics'))))), "\n";
?>
--EXPECT--
2000000
[["memory","time","number"],true,true,0,0]
shown
larder_copies_total{store="volatile",cause="memory"} N
larder_copies_total{store="volatile",cause="time"} 0
larder_copies_total{store="volatile",cause="number"} 0
