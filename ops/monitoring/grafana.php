<?php

/*
 * Makes the Grafana dashboard: php ops/monitoring/grafana.php > ops/monitoring/grafana.json
 */

declare(strict_types=1);

$by = '{store=~"$store",instance=~"$instance"}';
$of = '{instance=~"$instance"}';
$panels = [];
foreach ([
    ['Hit rate', 'percentunit', ["sum by (store) (rate(larder_hits_total{$by}[\$__rate_interval])) / (sum by (store) (rate(larder_hits_total{$by}[\$__rate_interval])) + sum by (store) (rate(larder_misses_total{$by}[\$__rate_interval])))" => '{{store}}']],
    ['Reads', 'ops', ["sum by (store) (rate(larder_hits_total{$by}[\$__rate_interval]))" => 'hits {{store}}', "sum by (store) (rate(larder_misses_total{$by}[\$__rate_interval]))" => 'misses {{store}}']],
    ['Memory', 'bytes', ["sum by (store) (larder_used_bytes$by)" => 'used {{store}}', "sum by (store) (larder_claimed_bytes$by)" => 'claimed {{store}}', "sum by (store) (larder_size_bytes$by)" => 'size {{store}}']],
    ['Entries', 'short', ["sum by (store) (larder_entries$by)" => '{{store}}']],
    ['Writes', 'ops', ["sum by (store) (rate(larder_inserts_total{$by}[\$__rate_interval]))" => 'new {{store}}', "sum by (store) (rate(larder_replaces_total{$by}[\$__rate_interval]))" => 'replaced {{store}}', "sum by (store) (rate(larder_deletes_total{$by}[\$__rate_interval]))" => 'deleted {{store}}']],
    ['Evictions and expirations', 'ops', ["sum by (store) (rate(larder_evictions_total{$by}[\$__rate_interval]))" => 'evicted {{store}}', "sum by (store) (rate(larder_expirations_total{$by}[\$__rate_interval]))" => 'expired {{store}}', "sum by (store) (rate(larder_ghost_hits_total{$by}[\$__rate_interval]))" => 'evicted too early {{store}}']],
    ['Age of what is evicted', 's', ["max by (store) (larder_evicted_age_seconds$by)" => '{{store}}']],
    ['Refused writes', 'ops', ["sum by (store, cause) (rate(larder_refusals_total{$by}[\$__rate_interval]))" => '{{store}}: {{cause}}']],
    ['Deaths', 'short', ["sum by (store) (increase(larder_deaths_total{$by}[\$__rate_interval]))" => '{{store}}', "sum by (store) (increase(larder_recoveries_total{$by}[\$__rate_interval]))" => 'inside a write {{store}}']],
    ['Threads', 'short', ["sum by (store) (larder_threads$by)" => '{{store}}']],
    ['Copied reads', 'percentunit', ["sum by (store, cause) (rate(larder_copies_total{$by}[\$__rate_interval])) / on (store) group_left sum by (store) (rate(larder_hits_total{$by}[\$__rate_interval]))" => '{{store}}: {{cause}}']],
    ['Uptime', 's', ["min by (store) (larder_uptime_seconds$by)" => '{{store}}']],
    ['Messages of queues', 'short', ["sum by (queue, state) (larder_queue_messages$of)" => '{{queue}}: {{state}}']],
    ['Age of the oldest ready message', 's', ["max by (queue) (larder_queue_oldest_seconds$of)" => '{{queue}}']],
    ['Pushed and acknowledged', 'ops', ["sum by (queue) (rate(larder_queue_pushed_total{$of}[\$__rate_interval]))" => 'pushed {{queue}}', "sum by (queue) (rate(larder_queue_acked_total{$of}[\$__rate_interval]))" => 'acknowledged {{queue}}']],
    ['Messages that came back, expired, were refused', 'ops', ["sum by (queue) (rate(larder_queue_returned_total{$of}[\$__rate_interval]))" => 'returned {{queue}}', "sum by (queue) (rate(larder_queue_expired_total{$of}[\$__rate_interval]))" => 'expired {{queue}}', "sum by (queue) (rate(larder_queue_refused_total{$of}[\$__rate_interval]))" => 'refused {{queue}}']],
] as $i => [$title, $unit, $queries]) {
    $targets = [];
    foreach ($queries as $query => $legend) {
        $targets[] = ['expr' => $query, 'legendFormat' => $legend, 'refId' => chr(65 + count($targets))];
    }
    $panels[] = [
        'id' => $i + 1, 'type' => 'timeseries', 'title' => $title, 'datasource' => ['type' => 'prometheus', 'uid' => '${datasource}'],
        'gridPos' => ['h' => 8, 'w' => 12, 'x' => 12 * ($i % 2), 'y' => 8 * intdiv($i, 2)], 'targets' => $targets,
        'fieldConfig' => ['defaults' => ['unit' => $unit, 'min' => 0] + ($unit === 'percentunit' ? ['max' => 1] : []), 'overrides' => []],
    ];
}
$variable = fn(string $name, string $label): array => ['name' => $name, 'label' => $label, 'type' => 'query', 'datasource' => ['type' => 'prometheus', 'uid' => '${datasource}'], 'query' => "label_values(larder_up, $name)", 'refresh' => 2, 'multi' => true, 'includeAll' => true, 'current' => ['text' => 'All', 'value' => '$__all']];
echo json_encode([
    'title' => 'Larder', 'uid' => 'larder', 'schemaVersion' => 38, 'version' => 1, 'editable' => true, 'refresh' => '30s', 'tags' => ['larder', 'php'],
    'time' => ['from' => 'now-3h', 'to' => 'now'],
    'templating' => ['list' => [['name' => 'datasource', 'label' => 'Data source', 'type' => 'datasource', 'query' => 'prometheus'], $variable('instance', 'Instance'), $variable('store', 'Store')]],
    'panels' => $panels,
], JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR), "\n";
