<?php
/* Checks that comments of C and of litmus tests name only files, functions and limits that exist.
 *   php tools/names.php            prints each unknown name; exit code 1 if there is one
 *   php tools/names.php --control  looks for unknown names in planted comments, which must be found
 *
 * A file is named by its name or the end of its path, a function with "()" behind it, and a limit or a setting in capitals with
 * the prefix LRD_ or LARDER_. ELSEWHERE has the names of other projects that our comments use. */

const ELSEWHERE = [
    'sysexits.h', 'ext/larder/larder_api.h', // the path of the installed header
    // functions of PHP
    'array_walk', 'class_alias', 'extension_loaded', 'fpm_get_status', 'php_module_startup', 'spl_object_hash', 'spl_object_id', 'zend_objects_store_put',
];

/** Separate the comments of a C file from its code. @return array{string, string} */
function apart(string $text): array
{
    preg_match_all('~/\*.*?\*/|//[^\n]*~s', $text, $comments);
    return [implode("\n", $comments[0]), (string) preg_replace('~/\*.*?\*/|//[^\n]*~s', ' ', $text)];
}

/**
 * @param array<string, string> $sources the texts of the checked files, by file
 * @param list<string> $files all files of the project
 * @return list<string> the unknown names
 */
function wrong(array $sources, array $files): array
{
    $comments = [];
    $known = [];
    foreach ($sources as $file => $text) {
        [$comments[$file], $code] = apart($text);
        preg_match_all('/\w+/', $code, $words);
        $known += array_flip($words[0]);
    }
    $ends = [];
    foreach ($files as $file) { // a/b/c.c may be named c.c, b/c.c or a/b/c.c
        for ($end = $file; ; $end = substr($end, strpos($end, '/') + 1)) {
            $ends[$end] = true;
            if (!str_contains($end, '/')) {
                break;
            }
        }
    }
    $wrong = [];
    foreach ($comments as $file => $text) {
        preg_match_all('~(?<![\w./<*-])(?:[\w-]+/)*[\w-]+\.(?:[ch]|php|sh|rb|m4)\b(?![\w>*])~', $text, $names);
        foreach (array_unique($names[0]) as $name) {
            if (!isset($ends[$name]) && !in_array($name, ELSEWHERE, true)) {
                $wrong[] = "$file: there is no file $name";
            }
        }
        preg_match_all('/(?<![\w:>])(?!__)([a-z]+_\w+)\(\)/', $text, $names);
        foreach (array_unique($names[1]) as $name) {
            if (!isset($known[$name]) && !in_array($name, ELSEWHERE, true)) {
                $wrong[] = "$file: there is no function $name()";
            }
        }
        preg_match_all('/\b(?:LRD|LARDER)_[A-Z0-9_]*[A-Z0-9]\b(?!\*)/', $text, $names);
        foreach (array_unique($names[0]) as $name) {
            if (!isset($known[$name])) {
                $wrong[] = "$file: there is no $name";
            }
        }
    }
    return $wrong;
}

chdir(dirname(__DIR__));
exec('git ls-files', $files);
$sources = [];
foreach ($files as $file) {
    if (is_file($file) && preg_match('~\.([ch]|litmus)$~', $file) && !str_contains($file, 'vendor/')) {
        $sources[$file] = (string) file_get_contents($file);
    }
    if (str_ends_with($file, '.litmus')) {
        $sources[$file] = strtr($sources[$file], ['(*' => '/*', '*)' => '*/']);
    }
}
if (($argv[1] ?? '') === '--control') {
    $planted = ['a.c' => "/* a.c - see core/gone.c and lrd_gone(), at most LRD_GONE; but lrd_here() is here. */\nint lrd_here(void);\n"];
    if (wrong($planted, ['a.c']) !== ['a.c: there is no file core/gone.c', 'a.c: there is no function lrd_gone()', 'a.c: there is no LRD_GONE']) {
        fwrite(STDERR, "names: names that nothing has were not found\n");
        exit(1);
    }
    exit;
}
// Build files define some of the names.
foreach (['Makefile', ...(array) glob('mk/*.mk'), 'php/run-tests.sh', 'php/config.m4'] as $file) {
    $sources[$file] = '' . preg_replace('~/\*|//~', ' ', (string) file_get_contents($file));
}
$found = wrong($sources, $files);
fwrite(STDERR, implode('', array_map(static fn(string $line): string => "$line\n", $found)));
exit($found === [] ? 0 : 1);
