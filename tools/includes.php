<?php
/* Checks the order of folders in the core and in the extension.
 * - A file may include files of its own folder and of folders before it in CORE or EXTENSION, so a reader understands a folder without
 *   later ones.
 * - Files do not include each other in a circle.
 * - core/core.c, the list of the core's sources, has the folders in order.
 * - Outside kinds/, no file of the extension names a kind of objects, so a new kind needs only one file and one line there.
 *   php tools/includes.php            names each violation, but at most one circle; exit code 1 if there is one
 *   php tools/includes.php --graph    prints the files of core and extension by folder, each with its includes
 *   php tools/includes.php --control  looks for planted violations of each rule, all of which must be found
 * The order does not apply to files outside these folders. Every file may include php_larder.h. larder.c, phpinfo.c and core/src/internal.h
 * (for tests) include files of all folders. */

const CORE = ['ground', 'memory', 'entries', 'mending', 'locks', 'room', 'threads', 'calls', 'queues'];
const EXTENSION = ['format', 'stores', 'request', 'kinds', 'holds', 'pack', 'fetch', 'put', 'statics', 'api', 'queue', 'files', 'session', 'ops', 'compat'];

/** @return array<string, string> the sources below a folder, by their path from it */
function sources(string $root): array
{
    $sources = [];
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($root, FilesystemIterator::SKIP_DOTS)) as $path) {
        $file = substr((string) $path, strlen($root) + 1);
        if (preg_match('/\.[ch]$/', $file) && str_contains($file, '/')) {
            $sources[$file] = (string) file_get_contents((string) $path);
        }
    }
    ksort($sources);
    return $sources;
}

/** @return list<string> the files that a source includes with quotes */
function includes(string $source): array
{
    preg_match_all('/^\s*#\s*include\s+"([^"]+)"/m', $source, $includes);
    return $includes[1];
}

/**
 * @return array<string, list<string>> for each file, the files of the same tree that it includes. A source and its header count as one file, which is named
 * without a suffix.
 */
function graph(string $root): array
{
    $graph = [];
    foreach (sources($root) as $file => $source) {
        $of = substr($file, 0, -2);
        $graph[$of] ??= [];
        foreach (includes($source) as $include) {
            $to = substr($include, 0, -2);
            if (is_file("$root/$include") && $to !== $of && !in_array($to, $graph[$of], true)) {
                $graph[$of][] = $to;
            }
        }
    }
    return $graph;
}

/**
 * Returns two lists. The first list has the files in an order in which each file comes after the files that it includes. The second list is
 * the first circle of files that include each other; it is empty if there is none.
 * @param array<string, list<string>> $graph
 * @return array{list<string>, list<string>}
 */
function sorted(array $graph): array
{
    $order = [];
    $visit = static function (string $file, array $path) use (&$visit, &$order, $graph): array {
        if (in_array($file, $order, true)) {
            return [];
        }
        if (($at = array_search($file, $path, true)) !== false) {
            return [...array_slice($path, $at), $file];
        }
        foreach ($graph[$file] ?? [] as $to) {
            if (($circle = $visit($to, [...$path, $file])) !== []) {
                return $circle;
            }
        }
        $order[] = $file;
        return [];
    };
    foreach (array_keys($graph) as $file) {
        if (($circle = $visit($file, [])) !== []) {
            return [$order, $circle];
        }
    }
    return [$order, []];
}

/**
 * @param list<string> $folders
 * @return list<string>
 */
function wrong_folders(string $root, array $folders): array
{
    $wrong = [];
    foreach (sources($root) as $file => $source) {
        $from = array_search(strtok($file, '/'), $folders, true);
        if ($from === false) {
            $wrong[] = "$file: its folder is not in the list of tools/includes.php";
            continue;
        }
        foreach (includes($source) as $include) {
            if (str_starts_with($include, '../../vendor/')) {
                continue;
            }
            if (str_starts_with($include, '.')) {
                $wrong[] = "$file includes \"$include\": name it by its path from the folders";
            } elseif (str_contains($include, '/') && is_file("$root/$include") && array_search(strtok($include, '/'), $folders, true) > $from) {
                $wrong[] = "$file includes \"$include\", of a folder after its own";
            } elseif (!str_contains($include, '/') && is_file(dirname("$root/$file") . "/$include")) {
                $wrong[] = "$file includes \"$include\": name it by its path from the folders";
            }
        }
    }
    return $wrong;
}

/** @return list<string> */
function wrong_kinds(string $root): array
{
    $wrong = [];
    foreach (sources($root) as $file => $source) {
        if (!str_starts_with($file, 'kinds/') && preg_match('/\bLARDER_BUILTIN_(?!NONE\b)[A-Z]+|\blarder_object_kind_\w+/', $source, $kind)) {
            $wrong[] = "$file names $kind[0], a kind of objects: ask its row of larder_object_kinds";
        }
    }
    return $wrong;
}

/** @return list<string> */
function wrong_circles(string $root): array
{
    [, $circle] = sorted(graph($root));
    return $circle === [] ? [] : ['a circle: ' . implode(' includes ', $circle)];
}

/** @return list<string> */
function wrong_core(string $root, string $unit): array
{
    $wrong = [...wrong_folders($root, CORE), ...wrong_circles($root)];
    preg_match_all('~^#include "src/(.*\.c)"~m', $unit, $listed);
    $sources = array_filter(array_keys(sources($root)), static fn(string $file): bool => str_ends_with($file, '.c'));
    foreach (array_diff($sources, $listed[1]) as $file) {
        $wrong[] = "$file is not in the list of core/core.c";
    }
    $last = 0;
    foreach ($listed[1] as $file) {
        $folder = (int) array_search(strtok($file, '/'), CORE, true);
        if ($folder < $last) {
            $wrong[] = "core/core.c has $file behind a folder after its own";
        }
        $last = max($last, $folder);
    }
    return $wrong;
}

/** @return list<string> */
function wrong_extension(string $root): array
{
    return [...wrong_folders($root, EXTENSION), ...wrong_kinds($root), ...wrong_circles($root)];
}

/** @param array<string, string> $files */
function planted(array $files): string
{
    $copy = sys_get_temp_dir() . '/larder-includes-' . getmypid();
    foreach ($files as $file => $text) {
        @mkdir(dirname("$copy/$file"), 0700, true);
        file_put_contents("$copy/$file", $text);
    }
    register_shutdown_function(static function () use ($copy, $files): void {
        array_map(static fn(string $file): bool => @unlink("$copy/$file"), array_keys($files));
        array_map(static fn(string $file): bool => @rmdir(dirname("$copy/$file")), array_keys($files));
        @rmdir($copy);
    });
    return $copy;
}

$root = dirname(__DIR__);
if (($argv[1] ?? '') === '--control') {
    $extension = planted([
        'put/put.h' => "#include \"format/format.h\"\nbuiltin == LARDER_BUILTIN_NONE || builtin == LARDER_BUILTIN_DATE\n",
        'format/format.h' => "#include \"php.h\"\n#include \"put/put.h\"\n",
    ]);
    $found = wrong_extension($extension);
    $expected = [
        'format/format.h includes "put/put.h", of a folder after its own',
        'put/put.h names LARDER_BUILTIN_DATE, a kind of objects: ask its row of larder_object_kinds',
        'a circle: format/format includes put/put includes format/format',
    ];
    array_map(unlink(...), ["$extension/put/put.h", "$extension/format/format.h"]);
    $core = planted([
        'ground/a.c' => "#include \"ground/a.h\"\n#include \"memory/c.h\"\n",
        'ground/a.h' => "#include <time.h>\n",
        'memory/c.c' => "#include \"memory/c.h\"\n#include \"memory/d.h\"\n",
        'memory/c.h' => "#include \"ground/a.h\"\n",
        'memory/d.c' => "#include \"c.h\"\n",
        'memory/d.h' => "#include \"memory/c.h\"\n",
    ]);
    array_push($found, ...wrong_core($core, "#include \"src/memory/c.c\"\n#include \"src/ground/a.c\"\n"));
    array_push(
        $expected,
        'ground/a.c includes "memory/c.h", of a folder after its own',
        'memory/d.c includes "c.h": name it by its path from the folders',
        'a circle: memory/c includes memory/d includes memory/c',
        'memory/d.c is not in the list of core/core.c',
        'core/core.c has ground/a.c behind a folder after its own',
    );
    if ($found !== $expected) {
        fwrite(STDERR, "includes: what was planted was not found\n");
        exit(1);
    }
    exit;
}
if (($argv[1] ?? '') === '--graph') {
    foreach (['core' => CORE, 'php' => EXTENSION] as $part => $folders) {
        $graph = graph("$root/$part/src");
        [$order] = sorted($graph);
        foreach ($folders as $folder) {
            echo $part === 'core' ? "$folder\n" : "php/$folder\n";
            foreach ($order as $file) {
                if (str_starts_with($file, "$folder/")) {
                    echo '  ', str_pad(substr($file, strlen($folder) + 1), 14), implode(' ', $graph[$file]), "\n";
                }
            }
        }
    }
    exit;
}
$found = [
    ...array_map(static fn(string $line): string => str_starts_with($line, 'core/') ? $line : "core/src/$line", wrong_core("$root/core/src", (string) file_get_contents("$root/core/core.c"))),
    ...array_map(static fn(string $line): string => "php/src/$line", wrong_extension("$root/php/src")),
];
fwrite(STDERR, implode('', array_map(static fn(string $line): string => "$line\n", $found)));
exit($found === [] ? 0 : 1);
