<?php

declare(strict_types=1);

namespace Larder\Ops;

/** The page: no build step, nothing from elsewhere. All that comes from a store is set as text, never as HTML. */
final class Page
{
    public const HTML = <<<'HTML'
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="larder" content="{{mode}}" data-token="{{token}}">
        <title>Larder</title>
        <link rel="icon" href="data:,">
        <style nonce="{{nonce}}">
        :root { color-scheme: light dark; --back: #fff; --card: #f5f6f8; --line: #d8dce2; --text: #16202c; --dim: #5b6775; --main: #1f6feb; --good: #1a7f4b; --warn: #b35900; }
        @media (prefers-color-scheme: dark) { :root { --back: #10151b; --card: #1a2129; --line: #323c48; --text: #e6ebf1; --dim: #9aa7b5; --main: #6aa8ff; --good: #4cc38a; --warn: #ffab52; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
        header, main { max-width: 1240px; margin: 0 auto; padding: 12px 16px; }
        header { display: flex; flex-wrap: wrap; gap: 8px 16px; align-items: baseline; }
        h1 { font-size: 20px; margin: 0; } h2 { font-size: 16px; margin: 18px 0 8px; }
        nav { display: flex; flex-wrap: wrap; gap: 4px; } #where { color: var(--dim); }
        button, select, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 5px 10px; min-width: 0; }
        button { cursor: pointer; } button[aria-selected=true] { background: var(--main); border-color: var(--main); color: var(--back); }
        button.danger { color: var(--warn); border-color: var(--warn); }
        .tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 10px; }
        .tile { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; }
        .tile b { display: block; font-size: 22px; font-variant-numeric: tabular-nums; } .tile span { color: var(--dim); font-size: 13px; }
        .bar { display: flex; height: 18px; border-radius: 6px; overflow: hidden; border: 1px solid var(--line); background: var(--card); }
        .bar i { display: block; } .used { background: var(--main); } .retired { background: var(--warn); } .spare { background: var(--good); }
        svg { width: 100%; height: 120px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
        polyline { fill: none; stroke: var(--main); stroke-width: 2; vector-effect: non-scaling-stroke; }
        .scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th, td { text-align: right; padding: 5px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; } td.key { white-space: normal; overflow-wrap: anywhere; min-width: 150px; max-width: 480px; }
        td.key button { background: none; border: 0; padding: 0; color: var(--main); text-align: left; overflow-wrap: anywhere; }
        form { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; } form input { flex: 1 1 140px; }
        pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 420px; overflow-y: auto; }
        dialog { width: min(760px, 94vw); background: var(--back); color: inherit; border: 1px solid var(--line); border-radius: 10px; } dialog h2 { overflow-wrap: anywhere; }
        .note { color: var(--dim); } .error { color: var(--warn); } dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 14px; } dd { margin: 0; }
        @media (max-width: 600px) { .wide { display: none; } }
        </style>
        <header><h1>Larder</h1><select id="store" aria-label="Store"></select><nav id="tabs" role="tablist"></nav><span id="where"></span></header>
        <main><p id="error" class="error" role="alert" hidden></p><div id="view"></div></main>
        <dialog id="entry"></dialog>
        <script nonce="{{nonce}}">
        'use strict';
        const config = document.querySelector('meta[name=larder]'), writes = config.content === 'write', token = config.dataset.token;
        const $ = id => document.getElementById(id), history = {};
        let view = 'overview', store = 'volatile', last = null, query = {order: 'size', prefix: '', limit: 50};

        function make(name, attributes, ...children) {
            const element = document.createElement(name);
            for (const [key, value] of Object.entries(attributes || {})) {
                if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
                else if (value !== null) element.setAttribute(key, value);
            }
            element.append(...children.filter(child => child !== null).map(child => child instanceof Node ? child : document.createTextNode(child)));
            return element;
        }
        const number = n => Math.round(n).toLocaleString('en');
        const percent = (part, all) => all > 0 ? (100 * part / all).toFixed(1) + ' %' : '–';
        function bytes(n) { let unit = 0; while (n >= 1024 && unit < 4) { n /= 1024; unit++; } return (unit && n < 100 ? n.toFixed(1) : Math.round(n)) + ' ' + ['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit]; }
        function time(s) { if (s === null) return '–'; return s < 60 ? s.toFixed(1) + ' s' : s < 3600 ? Math.floor(s / 60) + ' min' : s < 86400 ? (s / 3600).toFixed(1) + ' h' : (s / 86400).toFixed(1) + ' d'; }

        async function call(parameters, change) {
            const text = new URLSearchParams(change ? {...parameters, token} : parameters);
            const answer = await (change ? fetch(location.pathname, {method: 'POST', body: text}) : fetch('?' + text));
            if (!answer.ok) throw new Error((await answer.text()).trim());
            return answer.json();
        }
        function say(error) { $('error').hidden = !error; $('error').textContent = error ? error.message : ''; }
        async function attempt(work) { try { await work(); say(null); } catch (error) { say(error); } }

        const tile = (title, value, note) => make('div', {class: 'tile'}, make('span', {}, title), make('b', {}, value), make('span', {}, note || ' '));
        function bar(s) {
            const part = (name, n) => { const i = make('i', {class: name, title: name + ' ' + bytes(n)}); i.style.width = 100 * n / s.size + '%'; return i; };
            return make('div', {class: 'bar'}, part('used', s.used), part('retired', s.retired), part('spare', Math.max(0, s.claimed - s.used - s.retired)));
        }
        function chart(points) {
            const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), line = document.createElementNS(svg.namespaceURI, 'polyline');
            svg.setAttribute('viewBox', '0 0 119 100'); svg.setAttribute('preserveAspectRatio', 'none'); svg.setAttribute('role', 'img'); svg.setAttribute('aria-label', 'hit rate');
            line.setAttribute('points', points.map((p, i) => (120 - points.length + i) + ',' + (98 - 96 * p)).join(' '));
            svg.append(line);
            return svg;
        }
        function remember(stats) {
            for (const [name, s] of Object.entries(stats.stores)) {
                const h = history[name] ||= {points: [], rate: null};
                const now = performance.now() / 1000;
                if (h.before && s.hits >= h.before.hits && s.misses >= h.before.misses) { // else it was made anew
                    const hits = s.hits - h.before.hits, reads = hits + s.misses - h.before.misses;
                    h.reads = reads / Math.max(0.001, now - h.time);
                    if (reads > 0) { h.points.push(hits / reads); h.points.length > 120 && h.points.shift(); }
                }
                h.before = s; h.time = now;
            }
        }
        function overview() {
            const s = last.stores[store], h = history[store];
            if (!s) return [make('p', {class: 'error'}, (last.off[store] || 'the ' + store + ' store is off').replace(/^the/, 'The'))];
            const causes = Object.entries(s.refusal_causes).map(c => [c[0].replaceAll('_', ' '), c[1]]);
            const other = s.refused - causes.reduce((sum, c) => sum + c[1], 0);
            return [make('div', {class: 'tiles', id: 'tiles'},
                    tile('Hit rate', percent(s.hits, s.hits + s.misses), number(s.hits) + ' hits, ' + number(s.misses) + ' misses'),
                    tile('Memory', percent(s.used, s.size), bytes(s.used) + ' of ' + bytes(s.size)),
                    tile('Entries', number(s.entries), 'written ' + number(s.inserts + s.replaces) + ' times'),
                    tile('Evicted', number(s.evicted), s.evicted ? 'lately at an age of ' + time(s.evicted_age) : 'never full'),
                    tile('Expired', number(s.expired), number(s.deletes) + ' deleted'),
                    tile('Refused writes', number(s.refused), [...causes, ['other', other]].filter(c => c[1] > 0).map(c => c[0] + ' ' + number(c[1])).join(', ')),
                    tile('Deaths survived', number(s.deaths), number(s.recoveries) + ' inside a write'),
                    tile('Threads', number(s.threads), 'of at most ' + number(s.thread_limit))),
                make('h2', {}, 'Memory'), bar(s),
                make('p', {class: 'note'}, bytes(s.used) + ' used, ' + bytes(s.retired) + ' to be freed, ' + bytes(Math.max(0, s.claimed - s.used - s.retired)) + ' kept for more, ' + bytes(s.size - s.claimed) + ' never used'),
                make('h2', {}, 'Hit rate since this page was opened'), chart(h.points),
                make('p', {class: 'note'}, h.reads === undefined ? 'a moment ...' : number(h.reads) + ' reads a second'),
                writes ? make('button', {class: 'danger', id: 'clear', onclick: () => clear('')}, 'Clear the ' + store + ' store') : make('p', {class: 'note', id: 'readonly'}, 'Read-only.')];
        }
        function table(head, rows, id) {
            return make('div', {class: 'scroll'}, make('table', {id}, make('thead', {}, make('tr', {}, ...head.map(h => make('th', {class: h[1] || null}, h[0])))),
                make('tbody', {}, ...rows.map(row => make('tr', {}, ...row.map((cell, i) => make('td', {class: i === 0 ? 'key' : head[i][1] || null}, cell)))))));
        }
        async function entries() {
            const form = make('form', {onsubmit: event => { event.preventDefault(); query.prefix = event.target.prefix.value; query.order = event.target.order.value; draw(); }},
                make('input', {name: 'prefix', placeholder: 'keys that begin with', 'aria-label': 'prefix', value: query.prefix}),
                make('select', {name: 'order', 'aria-label': 'order', onchange: event => event.target.form.requestSubmit()},
                    ...[['size', 'largest'], ['uses', 'most used'], ['age', 'oldest'], ['ttl', 'next to expire'], ['key', 'by key']].map(([v, t]) => make('option', {value: v, selected: v === query.order ? '' : null}, t))),
                make('button', {}, 'Show'),
                writes && query.prefix !== '' ? make('button', {type: 'button', class: 'danger', onclick: () => clear(query.prefix)}, 'Delete all of them') : null);
            const found = (await call({api: 'entries', store, ...query})).entries;
            return [form, table([['Key'], ['Size'], ['Used'], ['Age', 'wide'], ['Left', 'wide'], ['Type', 'wide']], found.map(e => [
                e.pool === null ? make('button', {onclick: () => attempt(() => show(e))}, e.key) : e.pool + ' / ' + e.key,
                bytes(e.bytes), ['never', 'once', 'twice', 'often'][e.uses], time(e.age), time(e.ttl), e.type]), 'entries'),
                make('p', {class: 'note'}, found.length + ' shown. Used: since eviction looked at the entry last.')];
        }
        async function show(e) {
            const box = $('entry'), answer = await call({api: 'get', store, id: e.id});
            box.replaceChildren(make('h2', {}, e.key), answer.found ? make('dl', {}, make('dt', {}, 'Type'), make('dd', {}, answer.type), make('dt', {}, 'Size'), make('dd', {}, bytes(e.bytes)), make('dt', {}, 'Age'), make('dd', {}, time(e.age)), make('dt', {}, 'Left'), make('dd', {}, time(e.ttl))) : make('p', {}, answer.there ? 'Its value cannot be read here: a class is not known, or has changed, or it is of another language.' : 'It has gone.'),
                answer.found ? make('pre', {id: 'value'}, answer.text.slice(0, 100000)) : '',
                writes ? make('button', {class: 'danger', id: 'delete', onclick: () => attempt(async () => { await call({api: 'delete', store, id: e.id}, true); box.close(); await draw(); })}, 'Delete') : '',
                ' ', make('button', {onclick: () => box.close()}, 'Close'));
            box.showModal();
        }
        const clear = prefix => confirm(prefix === '' ? 'Clear the whole ' + store + ' store?' : 'Delete all entries in no pool that begin with ' + prefix + '?') &&
            attempt(async () => { await call({api: 'clear', store, prefix}, true); await refresh(); });
        async function pools() {
            const totals = Object.entries((await call({api: 'totals', store})).totals).sort((a, b) => b[1].bytes - a[1].bytes);
            return [table([['Pool'], ['Entries'], ['Size']], totals.map(([name, t]) => [name === '' ? '(in no pool)' : name, number(t.entries), bytes(t.bytes)]), 'pools')];
        }
        async function threads() {
            const all = (await call({api: 'threads', store})).threads;
            return [table([['Thread'], ['Hits'], ['Misses'], ['Copies', 'wide'], ['May hold', 'wide']], all.map(t => [t.thread + (t.name ? ' ' + t.name : ''), number(t.hits), number(t.misses), number(t.copies), bytes(t.held)]), 'threads')];
        }
        const change = (question, parameters) => confirm(question) && attempt(async () => { await call(parameters, true); await refresh(); });
        async function sessions() {
            const {paths, sessions} = await call({api: 'sessions'}), button = (text, question, parameters) => writes ? make('button', {class: 'danger', onclick: () => change(question, parameters)}, text) : '';
            return [make('h2', {}, 'By save path'),
                table([['Save path'], ['Sessions'], ['Size', 'wide'], ['']], paths.map(p => [p.path === '' ? '(none)' : p.path, number(p.entries), bytes(p.bytes), button('End all', 'End all sessions of ' + p.path + '?', {api: 'clear_sessions', id: p.id})]), 'paths'),
                make('h2', {}, 'The largest'),
                table([['Session'], ['Size'], ['Written', 'wide'], ['Left', 'wide'], ['']], sessions.map(s => [s.pool + ' / ' + s.key, bytes(s.bytes), time(s.age) + ' ago', time(s.ttl), button('End', 'End this session?', {api: 'delete', store: 'session', id: s.id})]), 'sessions'),
                make('p', {class: 'note'}, 'A session is shown by a short hash: who knows its id is its visitor.')];
        }
        async function queues() {
            const all = (await call({api: 'queues'})).queues;
            return [table([['Queue'], ['Ready'], ['Reserved'], ['Delayed', 'wide'], ['Buried'], ['Returned', 'wide'], ['Size', 'wide'], ['']], all.map(q => [q.name, number(q.ready), number(q.reserved), number(q.delayed), number(q.buried), number(q.returned), bytes(q.bytes),
                writes ? make('button', {class: 'danger', onclick: () => change('Delete all messages of ' + q.name + ' that nobody has reserved?', {api: 'clear_queue', id: q.id})}, 'Clear') : '']), 'queues'),
                make('p', {class: 'note'}, all.length === 0 ? 'There are no queues.' : 'Returned: whose process died, or took too long.')];
        }
        const views = {overview, entries, pools, sessions, queues, threads}, needs = {sessions: 'session', queues: 'queue'};
        async function draw() {
            const wanted = view;
            const children = await views[view]();
            if (wanted === view) $('view').replaceChildren(...children);
        }
        async function refresh() {
            last = await call({api: 'stats'});
            remember(last);
            const names = [...Object.keys(last.stores), ...Object.keys(last.off)];
            $('store').replaceChildren(...names.map(name => make('option', {value: name, selected: name === store ? '' : null}, name + (last.stores[name] ? '' : ' (off)'))));
            for (const [name, kind] of Object.entries(needs)) $('tab-' + name).hidden = !last.stores[kind];
            $('where').textContent = (last.pool ? 'pool ' + last.pool + ', ' : '') + 'Larder ' + last.larder + ', PHP ' + last.php;
            await draw();
        }
        for (const name of Object.keys(views)) {
            $('tabs').append(make('button', {role: 'tab', id: 'tab-' + name, hidden: needs[name] ? '' : null, 'aria-selected': name === view, onclick: event => {
                view = name;
                for (const tab of $('tabs').children) tab.setAttribute('aria-selected', tab === event.target);
                attempt(draw);
            }}, name[0].toUpperCase() + name.slice(1)));
        }
        $('store').addEventListener('change', event => { store = event.target.value; attempt(draw); });
        attempt(refresh);
        setInterval(() => { if (view === 'overview' && !document.hidden) attempt(refresh); }, 2000);
        </script>
        HTML;
}
