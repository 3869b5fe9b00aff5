<?php
/* Checks docs/memory-layout.md against the headers of the core: the layout version, and the size of each structure and the places of its
 * fields in the tables. The tables become static assertions, which the compiler checks; nothing is run.
 *   php tools/layout.php            prints the rows that are wrong; exit code 1 if there is one
 *   php tools/layout.php --control  looks for planted wrong numbers, each of which must be found
 * A table belongs to the last "`lrd__NAME`, N bytes" before it. A row names its fields first: "a, b: text"; its sizes are "8", "8 + 8" or
 * "8 x 2". A table without "at" has no places. */

const DOCUMENT = 'docs/memory-layout.md';

/** @return list<string> assertions of C; the message of each is its line in the document */
function assertions(string $text): array
{
    $assertions = [];
    $struct = '';
    preg_match('/`LRD__LAYOUT` (\d+)/', $text, $version);
    $assertions[] = '_Static_assert(LRD__LAYOUT == ' . ($version[1] ?? '0') . ', "the layout version");';
    foreach (explode("\n", $text) as $number => $line) {
        $at = 'line ' . ($number + 1);
        if (preg_match('/^`(lrd__\w+)`, ([\d,]+) bytes/', $line, $match)) {
            $struct = $match[1];
            $assertions[] = "_Static_assert(sizeof($struct) == " . str_replace(',', '', $match[2]) . ", \"$at: the size of $struct\");";
        } elseif (preg_match('/^#/', $line)) {
            $struct = '';
        } elseif ($struct !== '' && preg_match('/^\| ([\d,]+) \| ([\d,x +]+) \| (`?[a-z_0-9]+`?(?:, [a-z_0-9]+)*)/', $line, $match)) {
            $place = (int) str_replace(',', '', $match[1]);
            $sizes = preg_match('/^(\d+) x (\d+)$/', $match[2], $times) ? array_fill(0, (int) $times[2], (int) $times[1]) : array_map(intval(...), explode(' + ', str_replace(',', '', $match[2])));
            $names = explode(', ', str_replace('`', '', $match[3]));
            if (count($names) !== count($sizes)) {
                $assertions[] = "_Static_assert(0, \"$at: " . count($names) . ' fields, ' . count($sizes) . ' sizes");';
                continue;
            }
            foreach ($names as $i => $name) {
                $assertions[] = "_Static_assert(offsetof($struct, $name) == $place && sizeof((($struct *)0)->$name) == $sizes[$i], \"$at: $name of $struct\");";
                $place += $sizes[$i];
            }
        } elseif ($struct !== '' && preg_match('/^\| \d/', $line) && !str_contains($line, ', ..')) {
            $assertions[] = "_Static_assert(0, \"$at: a row that names no field\");";
        }
    }
    return $assertions;
}

/** @return list<string> what the compiler refuses */
function refused(string $text): array
{
    $assertions = assertions($text);
    $source = tempnam(sys_get_temp_dir(), 'larder-layout');
    file_put_contents($source, "#include \"internal.h\"\n#include <stddef.h>\n" . implode("\n", $assertions) . "\n");
    $compiler = getenv('CC') ?: 'gcc';
    exec("$compiler -x c -std=gnu11 -D_GNU_SOURCE -fsyntax-only -Icore/include -Icore/src -isystem core/vendor/xxhash " . escapeshellarg($source) . ' 2>&1', $output, $status);
    unlink($source);
    $refused = array_values(preg_grep('/error:/', $output) ?: []);
    return $status !== 0 && $refused === [] ? $output : (count($assertions) < 100 ? [...$refused, 'only ' . count($assertions) . ' facts were found'] : $refused);
}

chdir(dirname(__DIR__));
$text = (string) file_get_contents(DOCUMENT);
if (($argv[1] ?? '') === '--control') {
    foreach (['/`LRD__LAYOUT` \d+/' => '`LRD__LAYOUT` 1', '/^(`lrd__shard`, )[\d,]+/m' => '${1}8000', '/^\| 8 (\| 4 \| layout)/m' => '| 4 $1', '/^(\| 24 \| )2( \| used)/m' => '${1}4$2', '/^(\| 256 \| 4 x )4/m' => '${1}3'] as $pattern => $wrong) {
        $planted = (string) preg_replace($pattern, $wrong, $text, 1);
        if ($planted === $text || count(refused($planted)) !== 1) {
            fwrite(STDERR, "layout: a planted wrong number was not found: $pattern\n");
            exit(1);
        }
    }
    exit;
}
$refused = refused($text);
fwrite(STDERR, implode('', array_map(static fn(string $line): string => DOCUMENT . ": $line\n", $refused)));
exit($refused === [] ? 0 : 1);
