--TEST--
larder: ops: what alerts and the dashboard for Grafana ask for is there
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$project = dirname(__DIR__, 3);
$folder = ops_folder();
$settings = ['-d', 'larder.enable_cli=1', '-d', "larder.path=$folder", '-d', 'larder.scope=app', '-d', 'larder.volatile_size=2M', '-d', 'larder.queue_size=2M'];
ops_php(implode(' ', $settings), 'V::set("a", 1); Larder\Queue::open("q\"\n")->push(1);');
$command = ops_command('stats', '--openmetrics');
array_splice($command, 2, 0, $settings); /* show the queues of this folder and scope */
$metrics = (string) shell_exec(implode(' ', array_map('escapeshellarg', $command)));
echo implode("\n", preg_grep('/^larder_queue_(messages|pushed)/', explode("\n", $metrics))), "\n";
preg_match_all('/^(larder_\w+)\{/m', $metrics, $given);
/* The metrics contain only causes of refusals that have occurred, so take the names of all causes from the header. */
preg_match_all('/X\(LRD_REFUSED_\w+,\s*"(\w+)"/', file_get_contents("$project/core/include/larder_admin.h"), $causes);
$causes[1][] = 'other';
foreach (['alerts.yml', 'grafana.json'] as $file) {
    $text = file_get_contents("$project/ops/monitoring/$file");
    preg_match_all('/\blarder_\w+/', $text, $asked);
    preg_match_all('/cause=~?\\\\?"([^"\\\\]+)/', $text, $caused);
    echo count($asked[0]) > 5 ? $file : "nothing is asked for in $file", ': ', implode(' ', array_diff($asked[0], $given[1], ['larder_refusals_total'])),
        implode(' ', array_diff(explode('|', implode('|', $caused[1]) ?: 'other'), $causes[1])), "\n";
}
preg_match('/larder_up\{store=~"([^"]+)"\} == 0/', file_get_contents("$project/ops/monitoring/alerts.yml"), $match);
echo "off: $match[1]\n";
echo in_array('larder_refusals_total', $given[1], true) ? "refusals\n" : '', count($causes[1]) > 5 ? "causes\n" : '';
--EXPECT--
larder_queue_messages{queue="q\"\\x0a",state="ready"} 1
larder_queue_messages{queue="q\"\\x0a",state="reserved"} 0
larder_queue_messages{queue="q\"\\x0a",state="delayed"} 0
larder_queue_messages{queue="q\"\\x0a",state="buried"} 0
larder_queue_pushed_total{queue="q\"\\x0a"} 1
alerts.yml: 
grafana.json: 
off: volatile|pinned|session|queue
refusals
causes
