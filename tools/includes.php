<?php
/* Includes between the folders of php/src go one way: a file includes its own folder and those before it in this list.
 * So a folder can be understood without those after it.
 * And a file outside kinds/ names no kind of objects, so that a new one is a file and a line there.
 *   php tools/includes.php            names each include that goes back, and each such name; 1 where there is one
 *   php tools/includes.php --control  the same for a copy with both planted in it, which have to be found
 * php_larder.h, in no folder, is for all; larder.c and phpinfo.c, in none either, include all. */

const FOLDERS = ['format', 'stores', 'request', 'kinds', 'holds', 'fetch', 'put', 'statics', 'api', 'queue', 'files', 'session', 'ops', 'compat'];

/** @return list<string> */
function wrong(string $root): array
{
    $wrong = [];
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($root, FilesystemIterator::SKIP_DOTS)) as $path) {
        $file = substr((string) $path, strlen($root) + 1);
        if (!preg_match('/\.[ch]$/', $file) || !str_contains($file, '/')) {
            continue;
        }
        $from = array_search(strtok($file, '/'), FOLDERS, true);
        if ($from === false) {
            $wrong[] = "$file: its folder is not in the list of tools/includes.php";
            continue;
        }
        $source = (string) file_get_contents((string) $path);
        if (!str_starts_with($file, 'kinds/') && preg_match('/\bLARDER_BUILTIN_(?!NONE\b)[A-Z]+|\blarder_object_kind_\w+/', $source, $kind)) {
            $wrong[] = "$file names $kind[0], a kind of objects: ask its row of larder_object_kinds";
        }
        preg_match_all('/^\s*#\s*include\s+"([^"]+)"/m', $source, $includes);
        foreach ($includes[1] as $include) {
            if (str_starts_with($include, '.')) {
                $wrong[] = "$file includes \"$include\": name it by its path from php/src";
            } elseif (str_contains($include, '/') && is_file("$root/$include") && array_search(strtok($include, '/'), FOLDERS, true) > $from) {
                $wrong[] = "$file includes \"$include\", of a folder after its own";
            } elseif (!str_contains($include, '/') && is_file(dirname((string) $path) . "/$include")) {
                $wrong[] = "$file includes \"$include\": name it by its path from php/src";
            }
        }
    }
    sort($wrong);
    return $wrong;
}

$root = dirname(__DIR__) . '/php/src';
if (($argv[1] ?? '') === '--control') {
    $copy = sys_get_temp_dir() . '/larder-includes-' . getmypid();
    mkdir("$copy/format", 0700, true);
    mkdir("$copy/put");
    file_put_contents("$copy/put/put.h", "#include \"format/format.h\"\nbuiltin == LARDER_BUILTIN_NONE || builtin == LARDER_BUILTIN_DATE\n");
    file_put_contents("$copy/format/format.h", "#include \"php.h\"\n#include \"put/put.h\"\n");
    $found = wrong($copy);
    array_map(unlink(...), ["$copy/put/put.h", "$copy/format/format.h"]);
    array_map(rmdir(...), ["$copy/put", "$copy/format", $copy]);
    if ($found !== ['format/format.h includes "put/put.h", of a folder after its own', 'put/put.h names LARDER_BUILTIN_DATE, a kind of objects: ask its row of larder_object_kinds']) {
        fwrite(STDERR, "includes: what was planted was not found\n");
        exit(1);
    }
    exit;
}
$found = wrong($root);
fwrite(STDERR, implode('', array_map(static fn(string $line): string => "php/src/$line\n", $found)));
exit($found === [] ? 0 : 1);
