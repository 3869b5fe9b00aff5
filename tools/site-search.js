// Checks that the search of the site finds the right page first.
//   node tools/site-search.js FOLDER   prints each query that finds another page first; exit code 1 if there is one
'use strict';
const fs = require('fs');
const folder = process.argv[2] || 'build/site';
const lunr = require(fs.realpathSync(folder + '/search/lunr.js'));
const data = JSON.parse(fs.readFileSync(folder + '/search/search_index.json', 'utf8'));
const wanted = {
    'clear cache': /^operations/,
    'dashboard': /^monitoring/,
    'store is full': /^sizing/,
    'uninstall': /^install/,
    'why is a value evicted': /^sizing/,
    'how to lock a key': /^coordination/,
    'share sessions between servers': /^sessions/,
    'change the size of the store': /^operations/,
    'does it work with Symfony': /^frameworks\/symfony/,
    'sessions': /^sessions/,
    'Alpine': /^(platforms|install)/,
    'rate limit': /^coordination/,
    'install': /^install/,
    'queue worker': /^queue/,
    'Laravel': /^frameworks\/laravel/,
    'shared stores': /^php-scopes/,
    'clear the cache after a deployment': /^operations/,
    'Windows': /^(platforms|polyfill)/,
    'macOS': /^(platforms|polyfill)/,
    'error codes': /^troubleshooting/,
    'out of memory': /^troubleshooting/,
    'how much memory': /^sizing/,
    'migrate from APCu': /^migrating/,
    'php.ini settings': /^settings/,
    'contribute': /^tour/,
    'Redis': /^hosts/,
    'Docker': /^kubernetes/,
    'Prometheus metrics': /^monitoring/,
    'Rails': /^rails/,
};
// Make the index in the same way as search/worker.js of mkdocs.
const index = lunr(function () {
    this.field('title');
    this.field('text');
    this.ref('location');
    data.docs.forEach((doc) => this.add(doc));
});
let wrong = 0;
for (const [query, page] of Object.entries(wanted)) {
    const hits = index.search(query).map((hit) => hit.ref);
    if (!page.test(hits[0] || '')) {
        console.error(`"${query}" finds first: ${hits.slice(0, 5).join(', ')}`);
        wrong++;
    }
}
process.exit(wrong ? 1 : 0);
