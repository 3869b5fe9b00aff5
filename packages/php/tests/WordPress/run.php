<?php

/* Tests Debian's WordPress on nginx, php-fpm and a MariaDB of the test's own. Pages with the drop-in must equal pages without the drop-in:
 * while content changes, with several sites, under 120 requests at once, and while workers are killed.
 *
 *   php packages/php/tests/WordPress/run.php [--bench | --only-bench] [--kills=N]
 *
 * --bench: also measures the CPU time of one request of the front page, with Larder, without an object cache, and with one on APCu.
 * Ends with "N passed, N failed"; says "skipped" and succeeds where WordPress, MariaDB or a server is missing. */

declare(strict_types=1);

use Servers\Child;
use Servers\Folder;
use Servers\Killer;
use Servers\Programs;
use Servers\Web;

$project = dirname(__DIR__, 4);
require "$project/tools/servers/autoload.php";
require dirname(__DIR__) . '/Report.php';
require __DIR__ . '/site.php';

const ADMIN_PAGES = ['index.php', 'edit.php', 'post-new.php', 'upload.php', 'edit.php?post_type=page', 'edit-comments.php', 'themes.php', 'users.php', 'tools.php', 'options-general.php', 'profile.php', 'edit-tags.php?taxonomy=category', 'post.php?post=10&action=edit'];
const REST = ['posts&context=edit', 'pages', 'types', 'taxonomies', 'users/me', 'settings', 'themes', 'templates', 'block-types', 'comments&post=10', 'search&search=Text', 'posts&_embed=1'];

/**
 * Sends an HTTP request, and returns the answer, or null if the answer is not complete. @return array{int, string, array<string,
 * string>}|null
 */
function request(string $url, ?array $post = null, array $cookies = []): ?array
{
    $answers = requests([[$url, $post, $cookies]]);
    return $answers[0];
}

/** Sends many HTTP requests at once. */
function requests(array $list, ?callable $meanwhile = null): array
{
    $streams = $texts = $answers = [];
    foreach ($list as $i => [$url, $post, $cookies]) {
        $address = parse_url($url);
        $streams[$i] = stream_socket_client("tcp://$address[host]:$address[port]", $_, $_, 60);
        $body = $post === null ? '' : http_build_query($post);
        $path = ($address['path'] ?? '/') . (isset($address['query']) ? "?$address[query]" : '');
        $cookie = $cookies ? 'Cookie: ' . implode('; ', array_map(fn($n, $v) => "$n=$v", array_keys($cookies), $cookies)) . "\r\n" : '';
        fwrite($streams[$i], ($post === null ? 'GET' : 'POST') . " $path HTTP/1.0\r\nHost: " . HOST . "\r\n$cookie" . ($post === null ? '' : "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: " . strlen($body) . "\r\n") . "\r\n$body");
        stream_set_blocking($streams[$i], false);
        $texts[$i] = '';
    }
    for ($end = microtime(true) + 120; $streams && microtime(true) < $end;) {
        $read = $streams;
        $write = $except = [];
        stream_select($read, $write, $except, 0, 20000);
        foreach ($read as $i => $stream) {
            $texts[$i] .= fread($stream, 1 << 20);
            if (feof($stream)) {
                unset($streams[$i]);
            }
        }
        $meanwhile && $meanwhile();
    }
    foreach ($texts as $i => $text) {
        [$head, $body] = explode("\r\n\r\n", $text, 2) + [1 => ''];
        preg_match_all('/^Set-Cookie: ([^=]+)=([^;\r]*)/mi', $head, $set, PREG_SET_ORDER);
        $answers[$i] = isset($streams[$i]) || !preg_match('#^HTTP/1\.\d (\d+)#', $head, $status) ? null : [(int) $status[1], $body, array_column($set, 2, 1), $head];
    }
    return $answers;
}

/** @param array<string, Web> $sites the site "none" has no object cache; the pages of all other sites are compared with its pages */
function run(array $sites, array $options, Report $report, string $folder, Child $database): void
{
    $none = $sites['none'];
    $get = fn(Web $web, string $path, array $cookies = []): ?array => request($web->url . $path, null, $cookies);
    $do = fn(Web $web, string $what): mixed => json_decode($get($web, "/do/$what")[1] ?? 'null', true);
    $larder = $sites['larder'];

    /* Install on the site with the drop-in, so that the entries of the installer are tested, too. */
    $install = request("$larder->url/wp-admin/install.php?step=2", ['weblog_title' => 'Test', 'user_name' => 'admin', 'admin_password' => 'pass word', 'admin_password2' => 'pass word', 'pw_weak' => '1', 'admin_email' => 'admin@example.org', 'blog_public' => '0', 'language' => '']);
    $report->holds('installed: ' . substr(strip_tags($install[1] ?? ""), -300), str_contains($install[1] ?? '', 'Success!'));
    $report->same('seeded', ['41', 61], $do($larder, 'seed'));
    $report->same('in use', [[true], [false]], [array_slice($do($larder, 'count'), 0, 1), array_slice($do($none, 'count'), 0, 1)]);

    if (isset($options['only-bench'])) {
        bench($sites, $report, $database);
        return;
    }
    $login = request("$larder->url/wp-login.php", ['log' => 'admin', 'pwd' => 'pass word', 'testcookie' => '1', 'rememberme' => 'forever'], ['wordpress_test_cookie' => 'WP Cookie check']);
    $cookies = ($login[2] ?? []) + ['wordpress_test_cookie' => 'WP Cookie check'];
    $report->holds('logged in', count($cookies) > 2);
    $public = ['/', '/?p=10', '/?p=22', '/?page_id=2', '/?cat=3', '/?s=Text', '/?paged=2', '/?feed=rss2', '/?author=1', '/?m=202501', '/?tag=tag-3', '/?rest_route=/wp/v2/posts'];
    $compare = function (string $when) use ($get, $none, $larder, $public, $cookies, $report): void {
        foreach ($public as $path) {
            $expected = page($get($none, $path));
            foreach (['cold', 'warm'] as $state) {
                $report->same("$when: $path, $state", $expected, page($get($larder, $path)));
            }
            $report->holds("$when: $path has text", strlen($expected) > 400);
        }
        foreach (ADMIN_PAGES as $path) {
            $expected = page($get($none, "/wp-admin/$path", $cookies));
            $report->holds("$when: admin $path is one", str_contains($expected, 'wpadminbar'));
            foreach (['cold', 'warm'] as $state) {
                $report->same("$when: admin $path, $state", $expected, page($get($larder, "/wp-admin/$path", $cookies)));
            }
        }
    };
    $compare('at first');

    $comment = request("$larder->url/wp-comments-post.php", ['comment' => 'A new comment', 'author' => 'Somebody', 'email' => 'some@example.org', 'url' => '', 'comment_post_ID' => '10', 'comment_parent' => '0']);
    $report->same('commented', 302, $comment[0] ?? null);
    $report->holds('the comment is shown', str_contains($get($larder, '/?p=10', $comment[2])[1] ?? '', 'A new comment'));
    $edited = $do($larder, 'edit');
    $report->same('edited', ['blue', ['a' => 1]], $edited[1] ?? null);
    $compare('after changes');
    rest($larder, $none, $cookies, $get, $report);
    scheduled($larder, $none, $get, $do, $report);
    foreach (['options', 'cache'] as $what) {
        $expected = $do($none, $what);
        $report->holds("$what without a cache", is_array($expected));
        $report->same($what, $expected, $do($larder, $what));
    }
    $report->same('kept', [true, 'new', true, 3], $do($larder, 'keep'));
    $values = array_map(fn(int $i): string => "value $i", range(0, 7));
    $report->same('found by others', [[...$values, false], [...$values, false], [...$values, false], array_fill(0, 9, false), false, false, 3], $do($larder, 'kept'));
    $report->holds('flushed', $do($larder, 'flush'));
    $report->same('after a flush', page($get($none, '/')), page($get($larder, '/')));

    at_once($larder, $public, $get, $none, (int) ($options['kills'] ?? 20), $report);
    if (isset($options['bench'])) {
        bench($sites, $report, $database);
    }

    $report->same('network', [true], $do($larder, 'network'));
    touch("$folder/multisite");
    $report->holds('flushed', $do($larder, 'flush'));
    $seen = $do($larder, 'sites');
    $report->same('sites, as created', [true, [1, 2, 3]], array_slice($seen ?? [], 0, 2));
    $report->same('sites', $do($none, 'sites'), $do($larder, 'sites'));
    foreach (['/', '/site1/', '/site2/', '/site1/?p=1', '/site2/?feed=rss2'] as $path) {
        $report->same("multisite: $path", page($get($none, $path)), page($get($larder, $path)));
        $report->same("multisite: $path, warm", page($get($none, $path)), page($get($larder, $path)));
    }
    $report->same('nothing in the log', '', (string) preg_replace('/^.*(Deprecated|deprecated|wp-admin\/install.php on line \d+|Something may be wrong with WordPress.org).*\n/m', '', (string) @file_get_contents("$folder/larder/php.log")));
}

/** Makes, changes and deletes a post by the REST API, as the block editor does. */
function rest(Web $larder, Web $none, array $cookies, callable $get, Report $report): void
{
    $route = fn(Web $web, string $route): string => "/?rest_route=/wp/v2/$route&_wpnonce=" . $get($web, '/wp-admin/admin-ajax.php?action=rest-nonce', $cookies)[1];
    $write = fn(string $path, array $post): mixed => json_decode(request($larder->url . $route($larder, $path), $post, $cookies)[1] ?? '', true);
    $made = $write('posts', ['title' => 'Of the editor', 'content' => '<!-- wp:latest-posts /--><!-- wp:categories /-->', 'status' => 'publish', 'date' => '2025-02-03T04:05:06', 'tags' => '']);
    $report->same('made by REST', ['Of the editor', 'publish'], [$made['title']['raw'] ?? $made, $made['status'] ?? null]);
    $id = $made['id'] ?? 0;
    $report->same('its page', page($get($none, "/?p=$id")), page($get($larder, "/?p=$id")));
    $report->same('changed by REST', 'Changed', $write("posts/$id", ['title' => 'Changed', 'meta' => []])['title']['raw'] ?? null);
    $report->same('its page, changed', page($get($none, "/?p=$id")), page($get($larder, "/?p=$id")));
    foreach (REST as $path) {
        $expected = page($get($none, $route($none, $path), $cookies));
        $report->holds("REST: $path is one", str_starts_with($expected, '[') || str_starts_with($expected, '{'));
        foreach (['cold', 'warm'] as $state) {
            $report->same("REST: $path, $state", $expected, page($get($larder, $route($larder, $path), $cookies)));
        }
    }
    $report->same('deleted by REST', true, $write("posts/$id&force=1&_method=DELETE", [])['deleted'] ?? null);
    $report->same('its page is gone', [404, 404], [$get($none, "/?p=$id")[0] ?? null, $get($larder, "/?p=$id")[0] ?? null]);
}

/** Checks that WordPress's cron publishes a scheduled post. */
function scheduled(Web $larder, Web $none, callable $get, callable $do, Report $report): void
{
    $id = $do($larder, 'schedule');
    $report->same('not yet published', [404, 404], [$get($none, "/?p=$id")[0] ?? null, $get($larder, "/?p=$id")[0] ?? null]);
    for ($i = 0; $i < 60 && ($get($larder, "/?p=$id")[0] ?? null) !== 200; $i++) {
        $get($larder, '/wp-cron.php'); // wp-cron.php sends its answer before it does its work
        usleep(200000);
    }
    $report->same('published by cron', page($get($none, "/?p=$id")), page($get($larder, "/?p=$id")));
    $report->holds('the published post is shown', str_contains($get($larder, "/?p=$id")[1] ?? '', 'In good time'));
}

/** Sends 120 requests at once, then 24 at a time while workers are killed. */
function at_once(Web $larder, array $public, callable $get, Web $none, int $kills, Report $report): void
{
    $expected = array_map(fn(string $path): string => page($get($none, $path)), $public);
    $list = [];
    for ($i = 0; $i < 120; $i++) {
        $list[] = [$larder->url . $public[$i % count($public)], null, []];
    }
    $right = $lost = 0;
    $wrong = [];
    $count = function (array $answers) use ($expected, $public, &$right, &$lost, &$wrong): void {
        foreach ($answers as $i => $answer) {
            $text = page($answer);
            match (true) {
                $text === $expected[$i % count($public)] => $right++,
                $answer === null, $answer[0] === 502, $answer[0] === 504 => $lost++,
                // The answer is cut off, because its worker was killed.
                substr($text, -8) !== substr($expected[$i % count($public)], -8) => $lost++,
                default => $wrong[$public[$i % count($public)]] = $text,
            };
        }
    };
    $count(requests($list));
    $report->same('120 at once', [120, 0, []], [$right, $lost, array_keys($wrong)]);
    $right = $lost = 0;
    $killer = new Killer($larder);
    for ($round = 0; $killer->kills < $kills && $round < 60; $round++) {
        $count(requests(array_slice($list, 0, 24), fn() => mt_rand(0, 9) === 0 && $killer()));
    }
    echo "$killer->kills workers killed: $right right answers, ", count($wrong), " wrong, $lost lost with their worker\n";
    $report->same('no wrong answer', [], $wrong);
    $report->holds('answers', $right > 0 && $killer->kills >= $kills);
    usleep(500000);
    $right = $lost = 0;
    $count(requests(array_slice($list, 0, 12)));
    $report->same('afterwards', [12, 0], [$right, $lost]);
}

/** Measures the CPU time that the workers and the database need for the front page. The sites take turns, and the medians are reported. */
function bench(array $sites, Report $report, Child $database): void
{
    $rounds = $pages = [];
    // When a site first shows the page, WordPress writes an option to the shared database. The other sites' caches do not notice, so flush
    // these caches.
    foreach (['/', '/do/flush'] as $path) {
        foreach ($sites as $web) {
            request($web->url . $path);
        }
    }
    for ($round = 0; $round < 21; $round++) {
        foreach ($sites as $name => $web) {
            for ($i = 0; $i < ($round ? 2 : 12); $i++) { // in round 0, each worker shows the page
                $pages[$name] = page(request("$web->url/"));
            }
            $before = [$web->settledCpu(), $database->cpu()];
            for ($i = 0; $i < 20; $i++) {
                $pages[$name] = page(request("$web->url/"));
            }
            $after = [$web->settledCpu(), $database->cpu()];
            $rounds[$name]['PHP'][] = ($after[0] - $before[0]) / 20 * 1e6;
            $rounds[$name]['both'][] = (array_sum($after) - array_sum($before)) / 20 * 1e6;
        }
    }
    foreach ($sites as $name => $web) {
        preg_match('/\{"queries":(\d+),.*"hits":(\d+),"misses":(\d+).*\}$/', request("$web->url/?larder_stats")[1] ?? '', $match);
        printf("%-8s %d queries of the database, %d hits, %d misses of the object cache\n", $name, $match[1] ?? 0, $match[2] ?? 0, $match[3] ?? 0);
    }
    $report->same('all have the same front page', 1, count(array_unique($pages)));
    $median = function (array $figures): float {
        sort($figures);
        return $figures[intdiv(count($figures), 2)];
    };
    foreach (['PHP' => 'the worker', 'both' => 'the worker and the database'] as $kind => $who) {
        echo "front page of WordPress, CPU time of $who, median of 21 rounds of 20 requests:\n";
        foreach ($rounds as $name => $figures) {
            $figure = $median($figures[$kind]);
            printf("  %-8s %8.0f us a request   %.2fx no object cache   %.2fx APCu\n", $name, $figure, $figure / $median($rounds['none'][$kind]), $figure / $median($rounds['apcu'][$kind]));
        }
    }
}

$options = getopt('', ['bench', 'only-bench', 'kills:']);
$missing = array_filter(['/usr/share/wordpress/wp-load.php', '/usr/sbin/mariadbd', '/usr/sbin/nginx', Programs::extension('mysqli')], fn($file) => !is_file($file));
if ($missing) {
    exit("wordpress: skipped: missing: " . implode(', ', $missing) . " (tools/setup.sh lib-apps installs them)\n");
}
glob('/usr/share/wordpress/wp-content/themes/twenty*/style.css') || exit("wordpress: skipped: it has no theme (tools/setup.sh lib-apps installs one)\n");
$report = new Report();
$folder = Folder::make('larder-wordpress');
$module = getenv('LARDER_MODULE') ?: "$project/php/modules/larder.so";
$sites = [];
$database = null;
try {
    $database = start_database($folder);
    $sites['none'] = start_site($folder, 'none', null, []);
    if (isset($options['bench']) || isset($options['only-bench'])) {
        $sites['apcu'] = start_site($folder, 'apcu', __DIR__ . '/apcu-object-cache.php', ['extension=apcu', 'apc.shm_size=64M']);
    }
    $sites['larder'] = start_site($folder, 'larder', dirname(__DIR__, 2) . '/wordpress/object-cache.php', ["extension=$module"]);
    run($sites, $options, $report, $folder, $database);
} finally {
    array_map(fn(Web $web) => $web->stop(), $sites);
    $database?->stop();
    getenv('LARDER_KEEP') ? print("kept: $folder\n") : Folder::remove($folder);
}
echo "$report->passed passed, $report->failed failed\n";
exit($report->failed === 0 ? 0 : 1);
