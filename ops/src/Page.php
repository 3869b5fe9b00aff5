<?php

declare(strict_types=1);

namespace Larder\Ops;

/** The page. It needs no external files. Data from a store is inserted as text, never as HTML. */
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
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 420px), 1fr)); gap: 12px; }
        figure { margin: 0; min-width: 0; } figcaption { display: flex; flex-wrap: wrap; gap: 2px 12px; margin-bottom: 4px; } figcaption b { margin-right: auto; }
        figcaption span::before { content: ''; display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; background: var(--main); }
        figcaption span.s1::before { background: var(--warn); } figcaption span.s2::before { background: var(--good); }
        svg { display: block; width: 100%; height: 170px; background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
        polyline { fill: none; stroke: var(--main); stroke-width: 2; } polyline.s1 { stroke: var(--warn); } polyline.s2 { stroke: var(--good); }
        svg line { stroke: var(--line); } svg text { fill: var(--dim); font-size: 12px; }
        .keyed { display: flex; flex-wrap: wrap; gap: 2px 12px; } .keyed i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; } .never { background: var(--card); border: 1px solid var(--line); }
        .scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
        th, td { text-align: right; padding: 5px 8px; border-bottom: 1px solid var(--line); white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; } td.key { white-space: normal; overflow-wrap: anywhere; min-width: 150px; max-width: 480px; }
        td.key button { background: none; border: 0; padding: 0; color: var(--main); text-align: left; overflow-wrap: anywhere; }
        form { display: flex; flex-wrap: wrap; gap: 8px; margin: 8px 0; } form input { flex: 1 1 140px; }
        pre { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 420px; overflow-y: auto; }
        dialog { width: min(760px, 94vw); background: var(--back); color: inherit; border: 1px solid var(--line); border-radius: 10px; } dialog h2 { overflow-wrap: anywhere; }
        .range { display: flex; flex-wrap: wrap; gap: 0 8px; align-items: baseline; margin-bottom: 10px; } .pages { display: flex; gap: 8px; margin: 8px 0; } .pages[hidden] { display: none; }
        .note { color: var(--dim); } .error { color: var(--warn); } dl { display: grid; grid-template-columns: auto 1fr; gap: 2px 14px; } dd { margin: 0; }
        #settings { width: auto; } #settings td + td, #settings th + th { text-align: left; padding-left: 32px; white-space: normal; overflow-wrap: anywhere; }
        @media (max-width: 600px) { /* show each row of a table as a card */
            figcaption b { flex-basis: 100%; }
            thead { display: none; } table, tbody, tr, td { display: block; } tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
            th, td { border: 0; padding: 1px 0; white-space: normal; overflow-wrap: anywhere; } td { display: flex; justify-content: space-between; gap: 12px; text-align: right; } td.key { max-width: none; }
            td[data-label]::before { content: attr(data-label); color: var(--dim); } td:first-child { font-weight: 600; } td:empty { display: none; }
            #settings { width: 100%; } #settings tr { display: flex; justify-content: space-between; gap: 12px; } #settings td + td { padding: 1px 0; text-align: right; } #settings td::before { content: none; } #settings td.key { min-width: 0; }
        }
        </style>
        <header><h1>Larder</h1><select id="store" aria-label="Store"></select><nav id="tabs" role="tablist"></nav><span id="where"></span></header>
        <main><p id="error" class="error" role="alert" hidden></p><div id="view"></div></main>
        <dialog id="entry"></dialog>
        <script nonce="{{nonce}}">
        'use strict';
        const config = document.querySelector('meta[name=larder]'), writes = config.content === 'write', token = config.dataset.token;
        const $ = id => document.getElementById(id), history = {};
        let view = 'overview', store = 'volatile', last = null, range = 300, query = {order: 'size', prefix: '', limit: 50, offset: 0};
        const RANGES = [[300, '5 minutes'], [1800, '30 minutes'], [7200, '2 hours']], EVERY = 2;

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
        const short = n => n >= 99.5 ? n >= 99950 ? (n / 1e6).toFixed(2) + ' M' : number(n) : n > 0 ? n.toPrecision(2) : '0';
        function time(s) { if (s == null) return '–'; return s < 60 ? s.toFixed(1) + ' s' : s < 3600 ? Math.floor(s / 60) + ' min' : s < 86400 ? (s / 3600).toFixed(1) + ' h' : (s / 86400).toFixed(1) + ' d'; }

        async function call(parameters, change) {
            const text = new URLSearchParams(change ? {...parameters, token} : parameters);
            const answer = await (change ? fetch(location.pathname, {method: 'POST', body: text}) : fetch('?' + text));
            if (!answer.ok) throw new Error((await answer.text()).trim());
            return answer.json();
        }
        // The last error of an action, and the last one of the timer. An error stays until the next action, or call of the timer, succeeds.
        const errors = {action: null, timer: null};
        function say(source, error) {
            errors[source] = error;
            const shown = errors.action ?? errors.timer;
            $('error').hidden = !shown;
            $('error').textContent = shown ? shown.message : '';
        }
        async function attempt(work, source = 'action') { try { await work(); say(source, null); } catch (error) { say(source, error); } }

        const tile = (title, value, note) => make('div', {class: 'tile'}, make('span', {}, title), make('b', {}, value), make('span', {}, (note || ' ').replace(/(\d) (?=(?:B|[KMGT]iB|s|min|h|d)\b)/g, '$1\u00a0'))); // do not break the line between a number and its unit
        function bar(s) {
            const part = (name, n) => { const i = make('i', {class: name, title: name + ' ' + bytes(n)}); i.style.width = 100 * n / s.size + '%'; return i; };
            return make('div', {class: 'bar'}, part('used', s.used), part('retired', s.retired), part('spare', Math.max(0, s.claimed - s.used - s.retired)));
        }
        function draws(name, attributes, text) {
            const element = document.createElementNS('http://www.w3.org/2000/svg', name);
            for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
            if (text !== undefined) element.textContent = text;
            return element;
        }
        /* Draws lines over time. An element of series has a name, and a function that returns its number for a point, or null. */
        function chart(title, points, unit, series, top) {
            const width = Math.max(300, Math.min(1240, innerWidth - 32) / (innerWidth > 900 ? 2 : 1) - 6), height = 170, left = 64, right = 12, above = 12, below = 24;
            const now = performance.now() / 1000, shown = points.filter(p => p.time >= now - range);
            const highest = top || Math.max(...shown.flatMap(p => series.map(s => s[1](p) ?? 0)), 0) || 1, p = 10 ** Math.floor(Math.log10(highest)), most = top || [1, 2, 5, 10].find(f => f * p >= highest * 0.9999) * p, x = t => width - right - (now - t) / range * (width - left - right), y = v => height - below - v / most * (height - above - below);
            const svg = draws('svg', {viewBox: '0 0 ' + width + ' ' + height, role: 'img', 'aria-label': title});
            for (const part of [0, 0.5, 1]) {
                svg.append(draws('line', {x1: left, x2: width - right, y1: y(part * most), y2: y(part * most)}), draws('text', {x: left - 6, y: y(part * most) + 4, 'text-anchor': 'end'}, shown.length || top ? unit(part * most) : ''));
                svg.append(draws('text', {x: x(now - range * (1 - part)), y: height - 7, 'text-anchor': ['start', 'middle', 'end'][part * 2]}, part === 1 ? 'now' : '-' + Math.round(range * (1 - part) / 6) / 10 + ' min'));
            }
            series.forEach((s, i) => svg.append(draws('polyline', {class: 's' + i, points: shown.filter(p => s[1](p) !== null).map(p => x(p.time).toFixed(1) + ',' + y(Math.min(most, s[1](p))).toFixed(1)).join(' ')})));
            return make('figure', {}, make('figcaption', {}, make('b', {}, title), ...series.map((s, i) => make('span', {class: 's' + i}, s[0]))), svg);
        }
        const COUNTS = ['hits', 'misses', 'inserts', 'replaces', 'evicted', 'expired', 'refused', 'copies', 'packs', 'unpacks'];
        function remember(stats) {
            const now = performance.now() / 1000;
            for (const [name, s] of Object.entries(stats.stores)) {
                const h = history[name] ||= {points: []};
                if (h.before && COUNTS.every(c => (s[c] ?? 0) >= (h.before[c] ?? 0))) { // add no point if a count has fallen, because the store was created again
                    const seconds = Math.max(0.001, now - h.time), point = {time: now, used: s.used, claimed: s.claimed};
                    for (const c of COUNTS) point[c] = ((s[c] ?? 0) - (h.before[c] ?? 0)) / seconds;
                    h.points.push(point);
                    h.points.length > RANGES.at(-1)[0] / EVERY && h.points.shift();
                }
                h.before = s; h.time = now;
            }
        }
        const COPIED = {memory: 'much held', time: 'held long', number: 'many held'};
        const plural = (n, one, more = one + 's') => number(n) + ' ' + (n === 1 ? one : more);
        function overview() {
            const s = last.stores[store], h = history[store];
            if (!s) return [make('p', {class: 'error'}, (last.off[store] || 'the ' + store + ' store is off').replace(/^the/, 'The'))];
            const causes = Object.entries(s.refusal_causes).map(c => [c[0].replaceAll('_', ' '), c[1]]);
            const other = s.refused - causes.reduce((sum, c) => sum + c[1], 0);
            const ofEntries = (...elements) => s.policy === 'queue' ? [] : elements; // a store of queues has messages, not entries
            return [make('div', {class: 'tiles', id: 'tiles'},
                    ...ofEntries(tile('Hit rate', percent(s.hits, s.hits + s.misses), plural(s.hits, 'hit') + ', ' + plural(s.misses, 'miss', 'misses'))),
                    tile('Memory', percent(s.used, s.size), bytes(s.used) + ' of ' + bytes(s.size)),
                    ...ofEntries(tile('Entries', number(s.entries), plural(s.inserts + s.replaces, 'write')),
                        tile('Evicted', number(s.evicted), s.evicted ? 'lately at ' + time(s.evicted_age) : s.refused ? '' : 'never full'),
                        tile('Expired', number(s.expired), number(s.deletes) + ' deleted')),
                    tile('Refused writes', number(s.refused), [...causes, ['other', other]].filter(c => c[1] > 0).map(c => c[0] + ' ' + number(c[1])).join(', ')),
                    tile('Deaths survived', number(s.deaths), number(s.recoveries) + ' inside a write'),
                    tile('Threads', number(s.threads), 'of at most ' + number(s.thread_limit)),
                    ...ofEntries(tile('Copies', number(s.copies), Object.entries(s.copy_causes ?? {}).filter(c => c[1] > 0).map(c => COPIED[c[0]] + ' ' + number(c[1])).join(', ') || 'reads that got a copy')),
                    ...(s.packs > 0 ? [tile('Packed', percent(s.packed_entries, s.entries), bytes(s.packed_bytes) + ' for ' + bytes(s.packed_ready))] : []),
                    ...(s.memory_short > 0 ? [tile('File system', 'full', 'found ' + plural(s.memory_short, 'time'))] : []),
                    ...(s.repairs > 0 ? [tile('Damage', number(s.repairs), 'repairs dropped damaged data')] : []),
                    tile('Uptime', time(s.uptime), 'since its creation')),
                make('h2', {}, 'Memory'), bar(s),
                make('p', {class: 'note keyed'}, ...[['used', s.used, 'used'], ['retired', s.retired, 'not free yet'], ['spare', Math.max(0, s.claimed - s.used - s.retired), 'ready for more'], ['never', Math.max(0, s.size - s.claimed), 'never used']].map(([name, n, text]) => make('span', {}, make('i', {class: name}), bytes(n) + ' ' + text))),
                make('div', {class: 'range'}, make('h2', {}, 'Since this page was opened'), make('select', {id: 'range', 'aria-label': 'Time range', onchange: event => { range = +event.target.value; attempt(draw); }}, ...RANGES.map(([v, t]) => make('option', {value: v, selected: v === range ? '' : null}, t)))),
                make('div', {class: 'charts', id: 'charts'},
                    ...ofEntries(chart('Hit rate', h.points, v => Math.round(100 * v) + ' %', [['hits of reads', p => p.hits + p.misses > 0 ? p.hits / (p.hits + p.misses) : null]], 1),
                    chart('Reads and writes per second', h.points, short, [['hits', p => p.hits], ['misses', p => p.misses], ['writes', p => p.inserts + p.replaces]])),
                    chart('Memory', h.points, bytes, [['used', p => p.used], ['claimed', p => p.claimed]], s.size),
                    ...ofEntries(chart('Evicted, expired, refused per second', h.points, short, [['evicted', p => p.evicted], ['refused', p => p.refused], ['expired', p => p.expired]]))),
                ...ofEntries(make('p', {class: 'note'}, h.points.length === 0 ? 'A moment ...' : plural(Math.round(h.points.at(-1).hits + h.points.at(-1).misses), 'read') + ' per second, ' + short(h.points.at(-1).copies) + ' of them copied, ' + short(h.points.at(-1).unpacks) + ' unpacked, ' + short(h.points.at(-1).packs) + ' values packed')),
                s.policy === 'queue' ? make('p', {class: 'note'}, 'The tab Queues shows the messages.') : writes ? make('button', {class: 'danger', id: 'clear', onclick: () => clear('')}, 'Clear the ' + store + ' store') : make('p', {class: 'note', id: 'readonly'}, 'Read-only.')];
        }
        function table(head, rows, id) {
            const cell = (content, i) => make('td', i === 0 ? {class: 'key'} : {'data-label': head[i] || null}, ...(content === '' ? [] : [content].flat()));
            return make('div', {class: 'scroll'}, make('table', {id}, make('thead', {}, make('tr', {}, ...head.map(h => make('th', {}, h)))),
                make('tbody', {}, ...rows.map(row => make('tr', {}, ...row.map(cell))))));
        }
        const FORMS = {serialized: 'serialized', array: 'ready', string: 'ready', objects: 'ready'};
        async function entries() {
            const again = () => attempt(draw), turn = by => { query.offset = Math.max(0, query.offset + by); again(); };
            const form = make('form', {onsubmit: event => { event.preventDefault(); query.prefix = event.target.prefix.value; query.order = event.target.order.value; query.offset = 0; again(); }},
                make('input', {name: 'prefix', placeholder: 'user:*', title: 'Keys that begin with this; * and ? are wildcards', 'aria-label': 'Search for keys', value: query.prefix}),
                make('select', {name: 'order', 'aria-label': 'order', onchange: event => event.target.form.requestSubmit()},
                    ...[['size', 'largest'], ['uses', 'most used'], ['age', 'oldest'], ['ttl', 'next to expire'], ['key', 'by key']].map(([v, t]) => make('option', {value: v, selected: v === query.order ? '' : null}, t))),
                make('button', {}, 'Show'),
                writes && query.prefix !== '' && !/[*?]/.test(query.prefix) ? make('button', {type: 'button', class: 'danger', onclick: () => clear(query.prefix)}, 'Delete all of them') : null);
            const {entries: found, more, cut, searched} = await call({api: 'entries', store, ...query}), size = last.stores[store]?.size ?? 0;
            return [form, table(['Key', 'Size', 'Share', 'Used', 'Age', 'Expires in', 'Type', 'Form'], found.map(e => [
                e.pool === null ? make('button', {onclick: () => attempt(() => show(e))}, e.key) : e.pool + ' / ' + e.key,
                bytes(e.bytes) + (e.form === 'packed' ? ' of ' + bytes(e.ready) : ''), share(e.bytes, size), ['never', 'once', 'twice', 'often'][e.uses], time(e.age), time(e.ttl), e.type, e.form === 'packed' ? 'packed' : FORMS[e.type] ?? 'in the entry']), 'entries'),
                make('div', {class: 'pages', hidden: query.offset === 0 && !more ? '' : null}, make('button', {id: 'previous', disabled: query.offset === 0 ? '' : null, onclick: () => turn(-query.limit)}, 'Previous'), make('button', {id: 'next', disabled: more ? null : '', onclick: () => turn(query.limit)}, 'Next')),
                make('p', {class: 'note'}, found.length === 0 ? 'No entries.' : found.length === 1 ? 'Entry ' + number(query.offset + 1) + '.' : 'Entries ' + number(query.offset + 1) + ' to ' + number(query.offset + found.length) + '.', cut ? ' Later ones are not shown: search for the beginning of a key.' : '', searched ? ' The pattern was compared with ' + (searched === 1 ? 'one entry.' : 'the first ' + number(searched) + ' entries of this order.') : '', ' Used: since eviction last looked at the entry. Share: of the store.')];
        }
        const share = (part, all) => all > 0 && part > 0 ? 100 * part / all < 0.1 ? '< 0.1 %' : percent(Math.min(part, all), all) : '\u2013';
        async function show(e) {
            const box = $('entry'), answer = await call({api: 'get', store, id: e.id});
            box.replaceChildren(make('h2', {}, e.key), answer.found ? make('dl', {}, make('dt', {}, 'Type'), make('dd', {}, answer.type), make('dt', {}, 'Size'), make('dd', {}, bytes(e.bytes)), make('dt', {}, 'Age'), make('dd', {}, time(e.age)), make('dt', {}, 'Left'), make('dd', {}, time(e.ttl))) : make('p', {}, answer.there ? 'Its value cannot be read here: a class is not known, or has changed, or it is of another language.' : 'It has gone.'),
                answer.found ? make('pre', {id: 'value'}, answer.text) : '',
                answer.cut ? make('p', {class: 'note', id: 'cut'}, 'The value is shortened: ' + answer.cut + '.') : '',
                writes && (answer.found || answer.there) ? make('button', {class: 'danger', id: 'delete', onclick: () => attempt(async () => { await call({api: 'delete', store, id: e.id}, true); box.close(); await draw(); })}, 'Delete') : '',
                ' ', make('button', {onclick: () => box.close()}, 'Close'));
            box.showModal();
        }
        const clear = prefix => confirm(prefix === '' ? 'Clear the whole ' + store + ' store?' : 'Delete all entries in no pool that begin with ' + prefix + '?') &&
            attempt(async () => { await call({api: 'clear', store, prefix}, true); await refresh(); });
        async function pools() {
            const totals = Object.entries((await call({api: 'totals', store})).totals).sort((a, b) => b[1].bytes - a[1].bytes);
            return [table(['Pool', 'Entries', 'Size', 'Share'], totals.map(([name, t]) => [name === '' ? '(in no pool)' : name, number(t.entries), bytes(t.bytes), share(t.bytes, last.stores[store]?.size ?? 0)]), 'pools')];
        }
        async function threads() {
            const all = (await call({api: 'threads', store})).threads;
            return [table(['Thread', 'Hits', 'Misses', 'Copies', 'May hold'], all.map(t => [t.thread + (t.name ? ' ' + t.name : ''), number(t.hits), number(t.misses), number(t.copies), bytes(t.held)]), 'threads')];
        }
        const change = (question, parameters) => confirm(question) && attempt(async () => { await call(parameters, true); await refresh(); });
        async function sessions() {
            const {paths, sessions} = await call({api: 'sessions'}), button = (text, question, parameters) => writes ? make('button', {class: 'danger', onclick: () => change(question, parameters)}, text) : '';
            return [make('h2', {}, 'By save path'),
                table(['Save path', 'Sessions', 'Size', ''], paths.map(p => [p.path === '' ? '(none)' : p.path, number(p.entries), bytes(p.bytes), button('End all', 'End all sessions of ' + p.path + '?', {api: 'clear_sessions', id: p.id})]), 'paths'),
                make('h2', {}, 'The largest'),
                table(['Session', 'Size', 'Written', 'Expires in', ''], sessions.map(s => [s.pool + ' / ' + s.key, bytes(s.bytes), time(s.age) + ' ago', time(s.ttl), button('End', 'End this session?', {api: 'delete', store: 'session', id: s.id})]), 'sessions'),
                make('p', {class: 'note'}, paths.length === 0 ? 'There are no sessions.' : 'A session is shown by a short hash, because its id is as good as a password.')];
        }
        async function queues() {
            const all = (await call({api: 'queues'})).queues;
            return [table(['Queue', 'Ready', 'Reserved', 'Delayed', 'Buried', 'Oldest', 'Returned', 'Size', ''], all.map(q => [q.name, number(q.ready), number(q.reserved), number(q.delayed), number(q.buried), q.ready > 0 ? time(q.oldest) : '\u2013', number(q.returned), bytes(q.bytes),
                writes ? [make('button', {class: 'danger', onclick: () => change('Delete all messages of ' + q.name + ' that no worker has reserved?', {api: 'clear_queue', id: q.id})}, 'Clear'),
                    ...(q.buried > 0 ? [' ', make('button', {class: 'kick', onclick: () => attempt(async () => { await call({api: 'kick_queue', id: q.id}, true); await refresh(); })}, 'Kick')] : [])] : '']), 'queues'),
                make('p', {class: 'note'}, all.length === 0 ? 'There are no queues.' : 'Oldest: the longest time that a ready message has waited. Returned: the worker died, or took too long. Kick: make buried messages ready again.')];
        }
        async function settings() {
            const all = Object.entries((await call({api: 'settings'})).settings);
            return [table(['Setting', 'Value'], all.map(([name, value]) => [name, value === '' ? '""' : value]), 'settings')];
        }
        const views = {overview, entries, pools, sessions, queues, threads, settings}, needs = {sessions: 'session', queues: 'queue'};
        let drawing = 0, drawn = '';
        async function draw() {
            if (!last) return refresh(); // the user clicked on a tab before the first answer came
            // Answers may arrive out of order, so a call of draw() drops its result if draw() was called again meanwhile.
            const mine = ++drawing, wanted = view + ' ' + store;
            try {
                const children = await views[view]();
                if (mine === drawing) { $('view').replaceChildren(...children); drawn = wanted; }
            } catch (error) {
                if (mine !== drawing) return;
                if (drawn !== wanted) { $('view').replaceChildren(); drawn = wanted; } // remove the view of another tab or store
                throw error;
            }
        }
        async function look() {
            last = await call({api: 'stats'});
            remember(last);
        }
        async function refresh() {
            await look();
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
        $('store').addEventListener('change', event => { store = event.target.value; query.offset = 0; attempt(draw); });
        attempt(refresh, 'timer');
        setInterval(() => { if (!document.hidden) attempt(view === 'overview' ? refresh : look, 'timer'); }, 1000 * EVERY);
        </script>
        HTML;
}
