<?php

/*
 * Makes documents from the code: docs/settings.md (settings and their defaults) and docs/api.md (the classes of the extension, from its
 * stubs). Writes the version to the places that repeat it. Checks the links of all documents.
 *   php tools/docs.php          writes them
 *   php tools/docs.php --check  fails if a document or a version differs, or a link leads nowhere
 */

declare(strict_types=1);

require __DIR__ . '/api-examples.php';

chdir(dirname(__DIR__));

const SETTINGS = [
    'larder.enable' => ['on or off', 'Larder at all. Off: reads are misses, writes answer false.'],
    'larder.enable_cli' => ['on or off', 'The same under the command line.'],
    'larder.volatile_size' => ['0, or 1M to 1T', 'Bytes of the store of `VolatileCache`: entries that may be evicted. 0: none.'],
    'larder.pinned_size' => ['0, or 1M to 1T', 'Bytes of the store of `PinnedCache`: entries that stay. 0: none.'],
    'larder.immutable_size' => ['0, or 1M to 1T', 'Bytes of the store of the layer for immutable_cache. 0: `immutable_cache.shm_size` counts.'],
    'larder.session_size' => ['0, or 1M to 1T', 'Bytes of the store of `session.save_handler = larder`. 0: none.'],
    'larder.queue_size' => ['0, or 1M to 1T', 'Bytes of the store of `Larder\\Queue`. 0: none.'],
    'larder.resident_size' => ['bytes', 'Private memory of a worker for immutable objects. 0: they are built at each fetch.'],
    'larder.path' => ['an absolute path', 'The folder in which named stores lie; without it `/dev/shm`, when `larder.scope` is set. Choose one in memory (tmpfs): on a disk the kernel writes back what is stored, and each page that it wrote costs a fault and file system work at the next write.'],
    'larder.scope' => ['up to 64 of A-Z a-z 0-9 _ - ., no dot first', 'The name of a named store; without both, stores are anonymous: of the FPM pool, or of the server.'],
    'larder.form' => ['auto, ready or packed', 'The form in which the volatile store and the layer for APCu keep arrays, objects and long strings, and in which sessions are kept. `ready`: read in place. `packed`: a fifth of the memory, decoded by each read. `auto`: ready until entries are evicted, then packed; values that are read often become ready again. Sessions of 512 bytes and more are packed from the half of their store on.'],
    'larder.collect' => ['on or off', 'Values to which nothing points any more are released before a request ends, if it would hold too many; see docs/php-workers.md. Off: they stay held, and gets copy beyond the bounds of holds.'],
    'larder.entries_hint' => ['0 to 4294967295', 'Entries that the index has room for at first. It grows by itself.'],
    'larder.pools' => ['1 to 1024', 'FPM pools that can have anonymous stores.'],
    'larder.statics' => ['on or off', 'Attributes of static properties and variables work.'],
    'larder.statics_interval' => ['0 to 3600000', 'Milliseconds between publications of one static.'],
    'larder.sapi_optin' => ['a list', 'SAPIs that keep no tenants apart but may use Larder, such as `apache2handler`.'],
    'larder.session_lock' => ['0 or 1', 'One request at a time has a session. Also at run time.'],
    'larder.session_lock_wait' => ['milliseconds, -1', 'How long a request waits for a session that another has; -1: as long as it takes. Also at run time.'],
    'larder.session_lock_timeout' => ['fail or readonly', 'The result when that time is over: an error, or a session without writes. Also at run time.'],
    'larder.session_max_size' => ['bytes', 'A larger session is refused. Also at run time.'],
    'larder.file_cache' => ['0 or 1', '`file_get_contents()` from the volatile store.'],
    'larder.file_cache_ttl' => ['seconds', 'How long a file is kept; 0: until it gives way.'],
    'larder.file_cache_revalidate' => ['milliseconds, -1', 'How long a file is not looked at again; 0: each time; -1: never again.'],
    'larder.file_cache_max_size' => ['bytes', 'Larger files are not kept.'],
    'larder.compat' => ['a list', 'Layers that stand in for others: `apcu`, `immutable_cache`, `memsession`, `opcache`, `user_cache`.'],
];

function settings(): string
{
    $text = "# Settings\n\nMade by `make docs` from `php/src/stores/settings.c`. All but those with \"also at run time\" are read when PHP starts (`PHP_INI_SYSTEM`): in `php.ini`, its `conf.d`, `-d`, or for a pool of FPM in\n`php_admin_value[...]`. A bad value is named in a warning. Of a store's size, `larder.resident_size`, `larder.path`, `larder.scope`, `larder.pools`,\n`larder.compat` and what is on or off, it switches off what it is about; another setting keeps its default, or at run time its value. Sizes are bytes with K, M, G or T.\n\n| setting | default | values | what it does |\n|---|---|---|---|\n";
    $sources = glob('php/src/*/*.c') ?: [];
    foreach (array_unique(['php/src/stores/settings.c', ...$sources]) as $file) { // the general ones first
        preg_match_all('/PHP_INI_ENTRY\("(larder\.[\w.]+)",\s*"([^"]*)"/', (string) file_get_contents($file), $entries, PREG_SET_ORDER);
        foreach ($entries as [, $name, $default]) {
            [$values, $what] = SETTINGS[$name] ?? ['', ''];
            $text .= "| `$name` | " . ($default === '' ? '' : "`$default`") . " | $values | $what |\n";
        }
    }
    return $text;
}

/** The comments in the stubs are the whole reference. */
function api(): string
{
    $text = "# The API of PHP\n\nFor PHP programmers: each class and call of the extension, with an example whose comments are the results. Made by `make docs` from the stubs\nof the extension; `make test-docs` runs the examples. Other caches' functions: [migrating](migrating.md).\n";
    foreach (['php/larder.stub.php', ...(glob('php/src/*/*.stub.php') ?: [])] as $file) {
        $source = (string) file_get_contents($file);
        if (!str_contains($source, "\nnamespace Larder")) { // the names of another cache
            continue;
        }
        $comment = [];
        $class = '';
        foreach (explode("\n", $source) as $line) {
            $line = trim($line);
            if (str_starts_with($line, '/**')) {
                $comment = [];
            }
            if (preg_match('~^(?:/\*\*)?\s*\*?\s?(.*?)(?:\*/)?$~', $line, $match) && (str_starts_with($line, '*') || str_starts_with($line, '/**'))) {
                $words = trim($match[1], " /*");
                if (($words !== '' || $comment !== []) && !preg_match('/^@(strict|not-ser|generate)/', $words)) {
                    $comment[] = marked_up($words);
                }
                while (str_ends_with($line, '*/') && end($comment) === '') {
                    array_pop($comment);
                }
            } elseif ($file === 'php/larder.stub.php' && str_starts_with($line, 'namespace ')) { // the head of the file, which is about all classes
                $text .= "\n" . trim(implode("\n", array_slice($comment, 1))) . "\n";
                $comment = [];
            } elseif (preg_match('/^(?:(?:final )?(?:class|enum) (\w+)|function (\w+\(.*\).*?) ?\{)/', $line, $match)) {
                $class = $match[1];
                $text .= "\n## Larder\\" . $match[count($match) - 1] . "\n\n" . implode("\n", $comment) . ($comment ? "\n" : '');
                $text .= $class === '' ? "\n```php\n" . example((string) strtok($match[2], '(')) . "\n```\n" : '';
                $comment = [];
            } elseif (preg_match('/^public (static )?(function (\w+)\(.*?);? *\{/', $line, $match) && !str_contains($line, '__construct()') && example("$class::$match[3]") !== '') {
                $text .= "\n### $class::$match[3]\n\n```php\n$match[1]$match[2]\n```\n\n" . implode("\n", $comment) . ($comment ? "\n\n" : '') . "```php\n" . example("$class::$match[3]") . "\n```\n";
                $comment = [];
            } elseif (preg_match('/^public (static )?(readonly )?(.+?)[;{]/', $line, $match) && !str_contains($line, '__construct()')) {
                $text .= "\n- `" . trim($match[1] . $match[2] . $match[3]) . '`' . ($comment ? "  \n  " . str_replace("\n  \n", "\n\n", implode("\n  ", $comment)) : '');
                $comment = [];
            } elseif (preg_match('/^case (\w+)/', $line, $match)) {
                $text .= "\n- `$match[1]`" . ($comment ? ': ' . implode(' ', $comment) : '');
                $comment = [];
            } elseif ($line === '}') {
                $text = rtrim($text) . "\n";
            }
        }
    }
    return rtrim($text) . "\n";
}

/** Marks types and magic methods as code. Markdown would take them for tags and bold text. */
function marked_up(string $words): string
{
    $words = (string) preg_replace('/(?<!`)__\w+\(\)/', '`$0`', $words);
    return (string) preg_replace('/^@(return|var|param|throws) ((?:[^\s<>{}]|(<(?:[^<>]|(?3))*>)|\{[^}]*\})+)/', '$1: `$2`', $words);
}

/** @return list<string> */
function broken_links(): array
{
    $broken = [];
    exec('git ls-files "*.md"', $files);
    foreach ($files as $file) {
        $text = (string) preg_replace('/^```.*?^```/ms', '', (string) file_get_contents($file));
        preg_match_all('/\]\(([^)\s]+)\)/', $text, $links);
        foreach ($links[1] as $link) {
            [$path, $anchor] = explode('#', $link, 2) + [1 => ''];
            $target = $path === '' ? $file : dirname($file) . "/$path";
            if (preg_match('/^[a-z]+:/', $link)) {
                continue;
            }
            if (!file_exists($target)) {
                $broken[] = "$file: $link leads nowhere";
            } elseif ($anchor !== '' && str_ends_with($target, '.md') && !in_array($anchor, anchors($target), true)) {
                $broken[] = "$file: $link: there is no such heading";
            }
        }
    }
    return $broken;
}

/** @return list<string> */
function anchors(string $file): array
{
    preg_match_all('/^#+ (.*)$/m', (string) file_get_contents($file), $headings);
    return array_map(fn(string $heading): string => strtr((string) preg_replace('/[^\w\- ]/u', '', mb_strtolower($heading)), ' ', '-'), $headings[1]);
}

/* These places repeat the file VERSION, because a build that uses them cannot run a script. */
const VERSIONS = ['core/include/larder.h' => '/(?<=LRD_VERSION ")[^"]+/', 'ops/main.php' => "/(?<=const VERSION = ')[^']+/", 'ruby/lib/larder/version.rb' => '/(?<=VERSION = ")[^"]+/', 'ops/larder.1' => '/(?<="larder )[^"]+/'];

/** @return list<string> */
function versions(bool $check): array
{
    $version = trim((string) file_get_contents('VERSION'));
    $wrong = [];
    foreach (VERSIONS as $file => $pattern) {
        $text = (string) file_get_contents($file);
        if (preg_match($pattern, $text, $match) !== 1) {
            $wrong[] = "$file says no version";
        } elseif ($match[0] !== $version && $check) {
            $wrong[] = "$file says $match[0], VERSION $version: make docs";
        } elseif ($match[0] !== $version) {
            file_put_contents($file, preg_replace($pattern, $version, $text, 1));
        }
    }
    if (!preg_match('/^## \[' . preg_quote($version, '/') . '\] - /m', (string) file_get_contents('CHANGELOG.md'))) {
        $wrong[] = "CHANGELOG.md has no section for $version";
    }
    foreach (['composer.json', 'packages/php/composer.json'] as $file) {
        if (isset(json_decode((string) file_get_contents($file), true)['version'])) {
            $wrong[] = "$file has a version: Composer takes the tag's";
        }
    }
    return $wrong;
}

/* A chapter of the design must be short enough to be read at once. */
const CHAPTER_WORDS = 1500;

$check = in_array('--check', $argv, true);
$problems = [...broken_links(), ...versions($check)];
foreach (['docs/settings.md' => settings(), 'docs/api.md' => api()] as $file => $text) {
    if (!$check) {
        file_put_contents($file, $text);
    } elseif (!is_file($file) || file_get_contents($file) !== $text) {
        $problems[] = "$file is not as the code says: make docs";
    }
}
foreach (glob('docs/design/*.md') ?: [] as $chapter) {
    $words = count(preg_split('/\s+/', trim((string) file_get_contents($chapter))) ?: []);
    if ($words > CHAPTER_WORDS) {
        $problems[] = "$chapter has $words words, at most " . CHAPTER_WORDS . ' are for one chapter: split it';
    }
}
foreach ($problems as $problem) {
    fwrite(STDERR, "docs: $problem\n");
}
exit($problems !== [] ? 1 : 0);
