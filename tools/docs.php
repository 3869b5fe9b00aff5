<?php

/*
 * Makes files from the code: docs/settings.md (settings and their defaults), docs/api.md (the classes of the extension, from its stubs) and
 * packages/php/stubs/larder.php (these classes for IDEs and PHPStan). Writes the version to the places that repeat it. Checks the links and
 * the tables of all documents.
 *   php tools/docs.php          writes them
 *   php tools/docs.php --check  fails if a file or a version differs, or a link leads nowhere
 */

declare(strict_types=1);

require __DIR__ . '/api-examples.php';

chdir(dirname(__DIR__));

const SETTINGS = [
    'larder.enable' => ['on or off', 'Turns Larder on. If off, every read is a miss and every write returns `false`.'],
    'larder.enable_cli' => ['on or off', 'Turns Larder on for the command line.'],
    'larder.volatile_size' => ['0, or 1M to 1T', 'Size of the store of `VolatileCache`, which evicts entries when it is full. 0: no store. [How to change it](operations.md#change-the-size).'],
    'larder.pinned_size' => ['0, or 1M to 1T', 'Size of the store of `PinnedCache`, which evicts nothing. 0: no store.'],
    'larder.immutable_size' => ['0, or 1M to 1T', 'Size of the store behind the functions of immutable_cache. 0: the value of `immutable_cache.shm_size`.'],
    'larder.session_size' => ['0, or 1M to 1T', 'Size of the store of sessions, which `session.save_handler = larder` uses. 0: no store.'],
    'larder.queue_size' => ['0, or 1M to 1T', 'Size of the store of `Larder\\Queue`. 0: no store.'],
    'larder.resident_size' => ['bytes', 'Private memory in which a worker keeps immutable objects. 0: each fetch builds them again.'],
    'larder.path' => ['an absolute path', 'Folder of named stores. The default is `/dev/shm` if `larder.scope` is set. Choose a folder in memory (tmpfs). On a disk the kernel writes changed pages back, and the next write to each such page costs a page fault.'],
    'larder.scope' => ['up to 64 of A-Z a-z 0-9 _ - ., no dot first', 'Name of the stores. All processes of a user with the same scope and path share them, and they survive a restart of the server. Without scope and path, each FPM pool, and each other server, has stores of its own.'],
    'larder.form' => ['auto, ready or packed', 'How arrays, objects and long strings are stored in the volatile store, in the layer for APCu and in sessions. `ready`: reads use them in place. `packed`: they typically take a fifth of the memory ([sizing](sizing.md)), and each read decodes them. `auto`: ready until the store evicts entries or seven eighths of it are used, then packed, and compressed only where that saves much; values that are read often become ready again. A session of 512 bytes or more is packed once its store is half full.'],
    'larder.collect' => ['on or off', 'If a request holds many values, values without a reference are released before it ends ([long-running workers](php-workers.md)). If off, they stay held, and reads copy once the limit of held values is reached.'],
    'larder.entries_hint' => ['0 to 4294967295', 'Number of entries for which the index has room at the start. The index grows by itself.'],
    'larder.pools' => ['1 to 1024', 'Largest number of FPM pools with stores of their own.'],
    'larder.statics' => ['on or off', 'Turns on the attributes that share static properties and variables ([static state](statics.md)).'],
    'larder.statics_interval' => ['0 to 3600000', 'Shortest time between two publications of the same static, in milliseconds.'],
    'larder.sapi_optin' => ['a list', 'Server interfaces that may use Larder although they do not separate their sites, such as `apache2handler`.'],
    'larder.session_lock' => ['0 or 1', 'Lets only one request at a time use a session. *'],
    'larder.session_lock_wait' => ['milliseconds, -1', 'How long a request waits for a session that another request uses. -1: without limit. *'],
    'larder.session_lock_timeout' => ['fail or readonly', 'The result after this wait. `fail`: an error. `readonly`: the request may read the session, and its changes are not saved. *'],
    'larder.session_max_size' => ['bytes', 'Largest size of a session. Larger ones are not saved. *'],
    'larder.file_cache' => ['0 or 1', 'Lets `file_get_contents()` read files from the volatile store ([files](files.md)).'],
    'larder.file_cache_ttl' => ['seconds', 'How long a file is kept. 0: until it is evicted.'],
    'larder.file_cache_revalidate' => ['milliseconds, -1', 'How long a file is used without a check whether it changed. 0: each read checks. -1: no read checks.'],
    'larder.file_cache_max_size' => ['bytes', 'Largest size of a cached file.'],
    'larder.compat' => ['a list', 'Caches whose functions Larder provides: `apcu`, `immutable_cache`, `memsession`, `opcache`, `user_cache`.'],
];

/* In the stubs, a star at the end of a setting's text stands for this sentence. */
const AT_RUN_TIME = ' May be changed at run time.';

function settings(): string
{
    $text = <<<'INTRO'
        # Settings in php.ini

        For administrators: what each line of `php.ini` changes. No setting is needed.

        - Write settings into `php.ini`, a file of its `conf.d`, or for a pool of FPM as `php_admin_value[NAME] = VALUE`. PHP reads them when it
          starts. You may change some of them at run time with `ini_set()`.
        - Sizes are bytes, or numbers with K, M, G or T.
        - A wrong value causes a warning with the setting's name. If it is the size of a store, that store is off. A wrong `larder.path`,
          `larder.scope`, `larder.pools`, `larder.compat` or `larder.resident_size`, or a wrong switch (on or off), turns off its feature. Another setting
          keeps its default, or at run time its value.

        `larder settings` prints the settings in force. `make docs` makes this page from the source.

        | setting | default | values | what it does |
        |---|---|---|---|

        INTRO;
    $sources = glob('php/src/*/*.c') ?: [];
    foreach (array_unique(['php/src/stores/settings.c', ...$sources]) as $file) { // the general settings come first
        preg_match_all('/PHP_INI_ENTRY\("(larder\.[\w.]+)",\s*"([^"]*)"/', (string) file_get_contents($file), $entries, PREG_SET_ORDER);
        foreach ($entries as [, $name, $default]) {
            [$values, $what] = SETTINGS[$name] ?? ['', ''];
            $what = (string) preg_replace('/ \*$/', AT_RUN_TIME, $what);
            $text .= "| `$name` | " . ($default === '' ? '' : "`$default`") . " | $values | $what |\n";
        }
    }
    return $text;
}

/**
 * @return array<string, string> the texts of the stubs that belong to the namespace Larder. Other stubs declare functions of other
 * caches, such as APCu.
 */
function stubs(): array
{
    $texts = [];
    foreach (['php/larder.stub.php', ...(glob('php/src/*/*.stub.php') ?: [])] as $file) {
        $text = (string) file_get_contents($file);
        if (str_contains($text, "\nnamespace Larder")) {
            $texts[$file] = $text;
        }
    }
    return $texts;
}

function ide_stubs(): string
{
    $text = "<?php\n\n/**\n * The classes and functions of the PHP extension \"larder\", for IDEs and static analysis; never loaded.\n"
        . " * Made by `make docs` from the stubs of the extension.\n */\n\ndeclare(strict_types=1);\n\nnamespace Larder;\n";
    foreach (stubs() as $file => $source) {
        preg_match('/^namespace Larder\s*\{\n(.*)^\}$/ms', $source, $match) || throw new RuntimeException("$file: no namespace");
        // PHP's generator accepts neither @param with generics nor attributes, so the stubs disguise them.
        $text .= "\n" . strtr(trim((string) preg_replace('/^ {4}/m', '', $match[1])), ['@phpstan-param' => '@param', "\n// #[" => "\n#["]) . "\n";
    }
    return $text;
}

/** Returns the text of docs/api.md, from the comments in the stubs. */
function api(): string
{
    $text = "# The API of PHP\n\nFor PHP programmers: each class and call of the extension, with an example whose comments are the results. Made by `make docs` from the stubs\nof the extension; `make test-docs` runs the examples. Other caches' functions: [migrating](migrating.md).\n";
    foreach (stubs() as $file => $source) {
        $comment = [];
        $class = '';
        foreach (explode("\n", $source) as $line) {
            $line = trim($line);
            if (str_starts_with($line, '/**')) {
                $comment = [];
            }
            if (preg_match('~^(?:/\*\*)?\s*\*?\s?(.*?)(?:\*/)?$~', $line, $match) && (str_starts_with($line, '*') || str_starts_with($line, '/**'))) {
                $words = trim($match[1], " /*");
                if (($words !== '' || $comment !== []) && !preg_match('/^@(strict|not-ser|generate|template|param|phpstan|return T$)/', $words)) {
                    $comment[] = marked_up($words);
                }
                while (str_ends_with($line, '*/') && end($comment) === '') {
                    array_pop($comment);
                }
            } elseif ($file === 'php/larder.stub.php' && str_starts_with($line, 'namespace ')) { // the comment before it describes all classes
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

/** Marks types and magic methods as code. Otherwise Markdown would read them as tags and bold text. */
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

/** @return list<string> rows of tables that have more or fewer cells than the row above them */
function broken_tables(): array
{
    $broken = [];
    exec('git ls-files "*.md"', $files);
    foreach ($files as $file) {
        $text = (string) preg_replace_callback('/^```.*?^```/ms', static fn(array $code): string => str_repeat("\n", substr_count($code[0], "\n")), (string) file_get_contents($file));
        $cells = 0; // the number of cells of the row above; 0 if the line above is not a row
        foreach (explode("\n", $text) as $number => $line) {
            $bars = str_starts_with($line, '|') ? (int) preg_match_all('/(?<!\\\\)\|/', $line) : 0;
            if ($cells !== 0 && $bars !== 0 && $bars !== $cells) {
                $broken[] = sprintf('%s:%d: a row of %d cells, and %d in the row above', $file, $number + 1, $bars - 1, $cells - 1);
            }
            $cells = $bars;
        }
    }
    return $broken;
}

/* These files repeat the content of the file VERSION. A build that needs them cannot run a script that would insert the version. */
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

const CHAPTER_WORDS = 1500;
const README_WORDS = 700;

function words_of(string $file): int
{
    return count(preg_split('/\s+/', trim((string) file_get_contents($file))) ?: []);
}

$check = in_array('--check', $argv, true);
$problems = [...broken_links(), ...broken_tables(), ...versions($check)];
foreach (['docs/settings.md' => settings(), 'docs/api.md' => api(), 'packages/php/stubs/larder.php' => ide_stubs()] as $file => $text) {
    if (!$check) {
        file_put_contents($file, $text);
    } elseif (!is_file($file) || file_get_contents($file) !== $text) {
        $problems[] = "$file is not as the code says: make docs";
    }
}
foreach (glob('docs/design/*.md') ?: [] as $chapter) {
    $words = words_of($chapter);
    if ($words > CHAPTER_WORDS) {
        $problems[] = "$chapter has $words words, at most " . CHAPTER_WORDS . ' are for one chapter: split it';
    }
}
$words = words_of('README.md');
if ($words > README_WORDS) {
    $problems[] = "README.md has $words words, at most " . README_WORDS . ': move something to docs/';
}
foreach ($problems as $problem) {
    fwrite(STDERR, "docs: $problem\n");
}
exit($problems !== [] ? 1 : 0);
