<?php
/* Checks that all scripts, style sheets and pictures of the site's pages exist, and that code has colours.
 *   php tools/site-check.php FOLDER    names what is missing; exit code 1 if something is */

declare(strict_types=1);

$folder = $argv[1] ?? 'build/site';
$missing = [];
$pages = new RegexIterator(new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS)), '/\.html$/');
$count = 0;
foreach ($pages as $page) {
    $count++;
    $text = (string) file_get_contents((string) $page);
    $base = basename((string) $page) === '404.html' ? $folder : dirname((string) $page);
    preg_match_all('/<(?:script|img)\b[^>]*\bsrc="([^"]+)"|<link\b[^>]*\brel="(?:stylesheet|shortcut icon)"[^>]*\bhref="([^"]+)"/', $text, $matches, PREG_SET_ORDER);
    foreach ($matches as $match) {
        $name = html_entity_decode($match[2] ?? $match[1]);
        $file = ($name[0] === '/' ? $folder : $base) . '/' . preg_replace('/[?#].*/', '', $name);
        if (preg_match('~^(?:https?:)?//~', $name) || !is_file($file)) {
            $missing[$name] ??= substr((string) $page, strlen($folder) + 1);
        }
    }
}
foreach ($missing as $name => $page) {
    fwrite(STDERR, "$page: $name is not in the site\n");
}
/* Without Pygments, mkdocs still makes the site, but the code in it has no colours. */
if ($count > 0 && !str_contains((string) file_get_contents("$folder/api.html"), '<span class="k">use</span>')) {
    $missing['colours of code'] = 'api.html';
    fwrite(STDERR, "api.html: its examples have no colours\n");
}
if ($count === 0) {
    fwrite(STDERR, "$folder has no pages\n");
}
exit($missing === [] && $count > 0 ? 0 : 1);
