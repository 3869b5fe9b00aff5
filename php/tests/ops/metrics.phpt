--TEST--
larder: ops: metrics are read by a parser of OpenMetrics, agree with what was done, and never fall
--EXTENSIONS--
larder
--SKIPIF--
<?php require __DIR__ . '/../include/fpm.php'; fpm_skip(); exec('/usr/bin/python3 -c "import prometheus_client.openmetrics.parser" 2>&1', $out, $code); if ($code) die('skip needs python3-prometheus-client'); ?>
--FILE--
<?php
require __DIR__ . '/../include/fpm.php';
require __DIR__ . '/../include/ops.php';
$fpm = fpm(['www' => ['pm.max_children' => 3, 'env[LARDER_DASHBOARD]' => 'read', 'php_admin_value[larder.volatile_size]' => '2M', 'php_admin_value[larder.pinned_size]' => '1M']]);
$program = $fpm->folder . '/www/larder.php';
exec(PHP_BINARY . ' -n ' . escapeshellarg(dirname(__DIR__, 3) . '/ops/bundle.php') . ' ' . escapeshellarg($program));

/* Parses metrics with Prometheus' client for Python. Returns the values by name{labels}. */
function parsed(string $text): array
{
    $parser = proc_open(['/usr/bin/python3', '-c', '
import sys, json
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse
print(json.dumps({s.name + ("{" + ",".join(sorted(f"{k}={v}" for k, v in s.labels.items())) + "}"): s.value for f in parse(sys.stdin.read()) for s in f.samples}))
'], [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes);
    fwrite($pipes[0], $text);
    fclose($pipes[0]);
    $out = stream_get_contents($pipes[1]);
    proc_close($parser);
    return json_decode($out, true) ?? die("not OpenMetrics: $out\n$text");
}
$page = fn () => parsed($fpm->run('www', "\$_GET = ['metrics' => '1', 'prefix' => ['a:', 'odd\"\\\\\n']]; require '$program';", ['QUERY_STRING' => 'metrics']));
$command = fn () => parsed(ops_larder('stats', '--openmetrics', '--prefix', 'a:', '--fpm', $fpm->socket('www'), '--fpm-file', $program));
$value = fn (array $metrics, string $name, string $more = '') => $metrics["larder_$name{{$more}fpm_pool=www,store=volatile}"] ?? 'missing';

$before = $page();
/* Each of 40 requests stores 10 entries, has 30 hits and 5 misses, and deletes 2 entries. A further request stores more than the pinned
 * store has room for. */
for ($i = 0; $i < 40; $i++) {
    $fpm->run('www', "for (\$k = 0; \$k < 10; \$k++) V::set('a:' . (10 * {$i} + \$k), \$k % 2 ? 'x' : ['y']); for (\$k = 0; \$k < 30; \$k++) V::get('a:' . (10 * {$i} + \$k % 10)); for (\$k = 0; \$k < 5; \$k++) V::get('none'); V::delete('a:' . (10 * {$i})); V::delete('a:' . (10 * {$i} + 1));");
}
$fpm->run('www', 'V::set("odd\"\\\\\n1", 1); for ($i = 0; $i < 50; $i++) P::set("p$i", str_repeat("x", 100000)); P::set("big", str_repeat("x", 900000));');
$after = $page();
foreach (['hits_total', 'misses_total', 'inserts_total', 'deletes_total', 'evictions_total'] as $name) {
    echo "$name ", $value($after, $name) - $value($before, $name), "\n";
}
echo 'entries ', $value($after, 'entries'), ', of a prefix ', $after['larder_prefix_entries{fpm_pool=www,prefix=a:}'], ', of an odd one ', count(array_filter(array_keys($after), fn ($k) => str_contains($k, 'prefix_entries') && str_contains($k, 'odd'))), "\n";
$stats = json_decode($fpm->run('www', 'echo json_encode(["i" => P::info()]);'))->i;
$refused = fn (string $cause) => $after["larder_refusals_total{cause=$cause,fpm_pool=www,store=pinned}"];
var_dump($refused('full') + $refused('scattered') + $refused('size') == $stats->refusals && $refused('full') + $refused('scattered') > 0 && $refused('size') == 1);
echo $value($after, 'up'), ' ', $after['larder_up{fpm_pool=www,store=apcu}'], ' ', $value($after, 'size_bytes'), "\n";

echo "-- the command gives the same families\n";
$names = fn (array $metrics) => array_values(array_unique(array_map(fn ($name) => strtok($name, '{'), array_keys($metrics))));
var_dump($names($after) === $names($command()));

echo "-- workers die, the pool is cleared: no count falls\n";
foreach ($fpm->workers('www') as $pid) {
    $fpm->kill($pid);
}
fpm_wait(fn () => count($fpm->workers('www')) === 3);
$fpm->run('www', 'V::clear(); V::get("none");');
$last = $page();
foreach ($after as $name => $number) {
    if (str_contains($name, '_total') && ($last[$name] ?? -1) < $number) {
        echo "$name fell from $number to ", $last[$name] ?? 'nothing', "\n";
    }
}
echo $value($last, 'entries'), "\n";
var_dump($value($last, 'misses_total') > $value($after, 'misses_total'));
--EXPECT--
hits_total 1200
misses_total 200
inserts_total 401
deletes_total 80
evictions_total 0
entries 321, of a prefix 320, of an odd one 1
bool(true)
1 0 2097152
-- the command gives the same families
bool(true)
-- workers die, the pool is cleared: no count falls
0
bool(true)
