--TEST--
larder: ops: what alerts and the dashboard for Grafana ask for is there
--EXTENSIONS--
larder
--FILE--
<?php
require __DIR__ . '/../include/ops.php';
$project = dirname(__DIR__, 3);
$folder = ops_folder();
ops_php("-d larder.path=$folder -d larder.scope=app -d larder.volatile_size=2M", 'V::set("a", 1);');
preg_match_all('/^(larder_\w+)\{/m', ops_larder('stats', '--openmetrics', '--folder', $folder, '--scope', 'app'), $given);
/* By X(LRD_REFUSED_..., "name", ...): only what has happened is in the metrics. */
preg_match_all('/X\(LRD_REFUSED_\w+,\s*"(\w+)"/', file_get_contents("$project/core/include/larder_admin.h"), $causes);
$causes[1][] = 'other';
foreach (['alerts.yml', 'grafana.json'] as $file) {
    $text = file_get_contents("$project/ops/monitoring/$file");
    preg_match_all('/\blarder_\w+/', $text, $asked);
    preg_match_all('/cause=~?\\\\?"([^"\\\\]+)/', $text, $caused);
    echo count($asked[0]) > 5 ? $file : "nothing is asked for in $file", ': ', implode(' ', array_diff($asked[0], $given[1], ['larder_refusals_total'])),
        implode(' ', array_diff(explode('|', implode('|', $caused[1]) ?: 'other'), $causes[1])), "\n";
}
echo in_array('larder_refusals_total', $given[1], true) ? "refusals\n" : '', count($causes[1]) > 5 ? "causes\n" : '';
--EXPECT--
alerts.yml: 
grafana.json: 
refusals
causes
