--TEST--
larder: ops: promtool accepts the alert rules and the metrics, and each query of Grafana's panels
--EXTENSIONS--
larder
--SKIPIF--
<?php if (trim((string) shell_exec('command -v promtool')) === '') die('skip needs promtool (Debian: prometheus)'); ?>
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$monitoring = dirname(__DIR__, 3) . '/ops/monitoring';
$folder = ops_folder();
echo preg_match('/SUCCESS: (\d+) rules found/', (string) shell_exec("promtool check rules $monitoring/alerts.yml 2>&1"), $match) ? "rules\n" : "rules are refused\n";
/* promtool checks the syntax of rules, so write the queries as recording rules. */
$rules = [];
foreach (json_decode(file_get_contents("$monitoring/grafana.json"))->panels as $panel) {
    foreach ($panel->targets as $target) {
        $rules[] = ['record' => 'x:' . count($rules), 'expr' => str_replace('$__rate_interval', '5m', strtr($target->expr, ['$store' => '.*', '$instance' => '.*']))];
    }
}
file_put_contents("$folder/panels.yml", json_encode(['groups' => [['name' => 'panels', 'rules' => $rules]]], JSON_UNESCAPED_SLASHES));
$said = (string) shell_exec("promtool check rules $folder/panels.yml 2>&1");
echo str_contains($said, 'SUCCESS: ' . count($rules) . ' rules found') ? "panels\n" : $said;
/* A wrong rule is refused. */
file_put_contents("$folder/wrong.yml", json_encode(['groups' => [['name' => 'panels', 'rules' => [['record' => 'x:1', 'expr' => 'rate(larder_hits_total']]]]]));
echo str_contains((string) shell_exec("promtool check rules $folder/wrong.yml 2>&1"), 'FAILED') ? "control\n" : "a wrong rule is accepted\n";
?>
--EXPECT--
rules
panels
control
