# Documents: makes some from the code, makes the site, and tests the commands that documents show.

.PHONY: site chart docs test-docs

site: ## the documents as one site: build/site (mkdocs)
	@tools/setup.sh site
	@mkdocs build --quiet --strict
	@php -n tools/site-check.php build/site
	@if command -v node >/dev/null; then node tools/site-search.js build/site; else echo 'site: the search is not checked: node is missing'; fi

chart: php ## a fetch from Larder, APCu, Redis and memcached, for docs/chart.svg and README.md (two minutes)
	@tools/setup.sh bench-http
	@php -n bench/php/chart.php

docs: ## make docs/settings.md, docs/api.md and the stubs for IDEs from the code
	@php tools/docs.php

test-docs: php ## run every command that a document shows, or check that a test does
	@tools/commands.sh
