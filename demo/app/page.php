<?php

/* The page. It shows one package, fetched in the chosen mode, and the cost of each mode when it was last used. */

declare(strict_types=1);

namespace Demo;

use Larder\PinnedCache;

const MATCHES_SHOWN = 60;

function h(mixed $text): string
{
    return htmlspecialchars((string) $text, ENT_QUOTES | ENT_SUBSTITUTE);
}

/** @var string $file the package database */
$mode = $_GET['mode'] ?? 'larder';
$mode = is_string($mode) && isset(Packages::MODES[$mode]) ? $mode : 'larder';
$wanted = is_string($_GET['q'] ?? null) ? trim($_GET['q']) : 'php8.2-fpm';

$start = hrtime(true);
$packages = Packages::load($mode, $file);
$nanoseconds = hrtime(true) - $start;

$record = $packages[$wanted] ?? null;
$matches = [];
foreach ($record === null ? $packages : [] as $name => $unused) {
    if ($wanted === '' || stripos((string) $name, $wanted) !== false) {
        $matches[] = (string) $name;
    }
}
PinnedCache::set("page.$mode", ['us' => $nanoseconds / 1e3, 'memory' => memory_get_peak_usage()]);

$link = fn(string $name): string => sprintf(
    '<a href="/?mode=%s&amp;q=%s">%s</a>',
    $mode,
    rawurlencode($name),
    h($name),
);
$known = fn(string $name): string => isset($packages[$name]) ? $link($name) : h($name);
$relation = fn(array $one): string => $known($one[0]) . ($one[1] === null ? '' : ' <small>' . h("$one[1] $one[2]") . '</small>');
$relations = fn(array $all): string => implode(', ', array_map(fn(array $any): string => implode(' or ', array_map($relation, $any)), $all)) ?: 'nothing';
header('Content-Type: text/html; charset=utf-8');
?>
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Larder: <?= h($wanted === '' ? 'packages' : $wanted) ?></title>
<style>
    body { max-width: 56rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fafaf7; }
    h1 { margin: 0; font-size: 1.6rem; }
    h2 { margin: 2rem 0 0; font-size: 1.3rem; }
    a { color: #14507a; }
    small, .quiet { color: #666; }
    form { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
    input { flex: 1 1 14rem; }
    input, button { padding: .5rem .8rem; border: 1px solid #aaa; border-radius: .3rem; font: inherit; background: #fff; color: inherit; }
    button { cursor: pointer; }
    button.on { border-color: #14507a; background: #14507a; color: #fff; }
    table { width: 100%; border-collapse: collapse; }
    th, td { padding: .3rem .6rem; border-bottom: 1px solid #ddd; text-align: left; vertical-align: top; font-weight: normal; }
    td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
    tr.on { background: #e4eef5; }
    dl { display: grid; grid-template-columns: 9rem 1fr; gap: .3rem 1rem; }
    dt { color: #666; }
    dd { margin: 0; overflow-wrap: anywhere; }
    pre { margin: 0; white-space: pre-wrap; font: inherit; }
</style>
<h1>Packages of this machine</h1>
<p class="quiet"><?= number_format(count($packages)) ?> nested records, all of them in each request.</p>

<form action="/">
    <input name="q" value="<?= h($wanted) ?>" placeholder="a package or a part of its name" aria-label="package" autofocus>
    <button name="mode" value="<?= $mode ?>" hidden>search</button>
    <?php foreach (Packages::MODES as $key => $name): ?>
    <button name="mode" value="<?= $key ?>"<?= $key === $mode ? ' class="on"' : '' ?>><?= h($name) ?></button>
    <?php endforeach ?>
</form>

<table>
    <tr><th>last request with<th class="number">to have the database<th class="number">PHP's memory
    <?php foreach (Packages::MODES as $key => $name): $cost = PinnedCache::get("page.$key"); ?>
    <tr<?= $key === $mode ? ' class="on"' : '' ?>><td><?= h($name) ?>
        <td class="number"><?= $cost === null ? '-' : number_format($cost['us'], $cost['us'] < 100 ? 1 : 0) . ' µs' ?>
        <td class="number"><?= $cost === null ? '-' : number_format($cost['memory'] / 1e6, 1) . ' MB' ?>
    <?php endforeach ?>
</table>

<?php
$costs = array_map(fn(string $key): ?array => PinnedCache::get("page.$key"), ['larder' => 'larder', 'apcu' => 'apcu', 'none' => 'none']);
$times = fn(string $other): string => number_format($costs[$other]['us'] / $costs['larder']['us'], $costs[$other]['us'] < 10 * $costs['larder']['us'] ? 1 : 0);
$status = cache_status();
?>
<p>Each request takes the whole database from the cache: APCu copies it for the request, Larder lets the request use it where it
lies<?php if (isset($costs['larder'], $costs['apcu'], $costs['none'])): ?>, which is <strong id="ratio"><?= $times('apcu') ?></strong> times as fast as APCu and <?= $times('none') ?> times as fast as no cache, in the last requests<?php endif ?>.</p>
<p class="quiet">Larder: <span id="hits"><?= number_format($status['hits']) ?></span> hits, <span id="misses"><?= number_format($status['misses']) ?></span> misses,
<span id="memory"><?= number_format($status['memory'] / 1e6, 1) ?></span> MB, <span id="kills"><?= number_format($status['kills']) ?></span> workers killed by the button.
<?php if (isset($_SERVER['DEMO_KILL'])): ?><button id="kill" type="button">Kill a worker</button> <span id="killed" role="status"></span>
<script>
const get = id => document.getElementById(id), wait = ms => new Promise(done => setTimeout(done, ms));
async function status() {
    for (;; await wait(20)) { // until a worker answers
        const answer = await fetch('/status').catch(() => null);
        if (answer && answer.ok) return answer.json();
    }
}
get('kill').addEventListener('click', async () => {
    const before = await status(), start = performance.now();
    await fetch('/kill', {method: 'POST'}).catch(() => null);
    const after = await status(), took = performance.now() - start;
    for (const name of ['hits', 'misses', 'kills']) get(name).textContent = after[name].toLocaleString('en');
    get('killed').textContent = `It is dead; the next request was answered after ${took.toFixed(0)} ms, and the database was computed ${after.loads === before.loads ? 'no further time' : 'again'}.`;
});
</script><?php endif ?></p>

<?php if ($record !== null): ?>
<h2><?= h($wanted) ?> <small><?= h($record['version']) ?></small></h2>
<p><?= h($record['summary']) ?></p>
<dl>
    <?php if ($record['description'] !== ''): ?><dt>description<dd><pre><?= h($record['description']) ?></pre><?php endif ?>

    <dt>section<dd><?= h($record['section']) ?>, <?= h($record['priority']) ?>, <?= h($record['architecture']) ?>, <?= number_format($record['kilobytes']) ?> kB
    <dt>maintainer<dd><?= h($record['maintainer']) ?>
    <dt>depends on<dd><?= $relations($record['depends']) ?>
    <dt>recommends<dd><?= $relations($record['recommends']) ?>
    <dt>needed by<dd><?= implode(', ', array_map(fn(string $name): string => $link($name), array_slice($record['dependents'], 0, MATCHES_SHOWN))) ?: 'nothing' ?>
        <?php if (count($record['dependents']) > MATCHES_SHOWN): ?><small>and <?= number_format(count($record['dependents']) - MATCHES_SHOWN) ?> more</small><?php endif ?>
    <?php if ($record['conffiles'] !== []): ?><dt>configuration<dd><?= implode('<br>', array_map(h(...), array_column($record['conffiles'], 'path'))) ?><?php endif ?>
</dl>
<p class="quiet">As JSON: <?php foreach (Packages::MODES as $key => $name): ?><a href="/<?= $key ?>/package/<?= rawurlencode($wanted) ?>"><?= h($name) ?></a> <?php endforeach ?></p>
<?php else: ?>
<h2><?= number_format(count($matches)) ?> packages<?= $wanted === '' ? '' : ' with “' . h($wanted) . '” in their name' ?></h2>
<p><?= implode(', ', array_map(fn(string $name): string => $link($name), array_slice($matches, 0, MATCHES_SHOWN))) ?><?= count($matches) > MATCHES_SHOWN ? ', ...' : '' ?></p>
<?php endif ?>
