<?php
/* Checks docs/memory-layout.md against the headers of the core. The layout version, and the sizes of structures and the places of
 * fields in the tables, become static assertions. The table "Defaults and sizes" is compared with what core/src/ground/geometry.c computes.
 *   php tools/layout.php            prints the rows that are wrong; exit code 1 if there is one
 *   php tools/layout.php --control  looks for planted wrong numbers, each of which must be found
 * A table belongs to the last "`lrd__NAME`, N bytes" before it. A row names its fields first: "a, b: text"; its sizes are "8", "8 + 8" or
 * "8 x 2". A table without a column "at" gives no places. */

const DOCUMENT = 'docs/memory-layout.md';
const FLAGS = '-x c -std=gnu11 -D_GNU_SOURCE -Icore/include -Icore/src -isystem core/vendor/xxhash';

/* For each row of "Defaults and sizes": the beginning of its first column, up to a ":", and expressions for the other columns. */
const FIGURES = [
    'shards / buckets of a shard, at first / homes at most' => 'geo.shards, geo.buckets, geo.homes_max',
    'pages' => 'geo.pages',
    'header' => 'geo.gates_at / KIB',
    'gates' => '(geo.shards_at - geo.gates_at) / KIB',
    'shards' => '(geo.quotas_at - geo.shards_at) / KIB',
    'quotas' => '(geo.keylock_owners_at - geo.quotas_at) / KIB',
    'owners' => '(geo.pages_at - geo.owners_at) / KIB',
    'pages, with the mini pages' => '(geo.bits_at - geo.pages_at) / KIB',
    'bits' => '(geo.run_len_at - geo.bits_at) / KIB',
    'run_len' => '(geo.buckets_at - geo.run_len_at) / KIB',
    'buckets, at first / at most' => 'first * sizeof(lrd__bucket) / KIB, (geo.links_at - geo.buckets_at) / KIB',
    'links' => 'first * LRD__WAYS * 4 / KIB, (geo.timed_at - geo.links_at) / KIB',
    'timers' => '0, (geo.ghost_at - geo.timers_at) / KIB',
    'ghost' => '0, (geo.keylock_heads_at - geo.ghost_at) / KIB',
    'keylock_heads' => '0, (geo.keylocks_at - geo.keylock_heads_at) / KIB',
    'slots, sparse' => '(geo.owners_at - geo.slots_at) / KIB',
    'control_size, volatile' => 'geo.control_size / KIB',
    'file_size, volatile' => 'geo.file_size / KIB, geo.file_size / KIB / KIB',
];

/** @return list<string> assertions of C for the rows of the tables; the message of an assertion is the row's line in the document */
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

/** @return list<string> rows of "Defaults and sizes" that differ from what the core computes, or are missing */
function misfigured(string $text): array
{
    $cells = implode("\n", array_map(static fn(string $numbers): string => "{ double numbers[] = {{$numbers}}; row(numbers, sizeof numbers / sizeof *numbers); }", FIGURES));
    $source = <<<C
        #include "internal.h"
        #include <stdio.h>
        #define KIB 1024.0
        int lrd__complain(const char *format, ...) { (void)format; return 0; }
        static void row(const double *numbers, size_t count)
        {
            for (size_t i = 0; i < count; i++)
                printf("%s%.17g", i != 0 ? " " : "", numbers[i]);
            puts("");
        }
        static void column(uint64_t size)
        {
            lrd__geometry geo = {0};
            lrd__geometry_choose(&(lrd_options){.size = size, .policy = LRD_VOLATILE}, &geo);
            double first = lrd__buckets_end(&geo, (uint64_t)geo.buckets << geo.shard_bits);
            $cells
        }
        int main(void) { column((uint64_t)64 << 20); column((uint64_t)1 << 30); }
        C;
    $base = tempnam(sys_get_temp_dir(), 'larder-layout');
    file_put_contents("$base.c", $source);
    exec((getenv('CC') ?: 'gcc') . ' ' . FLAGS . ' -O1 -o ' . escapeshellarg("$base.run") . ' ' . escapeshellarg("$base.c") . ' core/src/ground/geometry.c 2>&1 && ' . escapeshellarg("$base.run"), $output, $status);
    array_map(unlink(...), array_filter([$base, "$base.c", "$base.run"], is_file(...)));
    if ($status !== 0 || count($output) !== 2 * count(FIGURES)) {
        return [...$output, 'the sizes could not be computed'];
    }
    $wrong = [];
    $table = explode("\n### ", explode("### Defaults and sizes\n", $text)[1] ?? '')[0];
    foreach (array_keys(FIGURES) as $row => $name) {
        $found = preg_match('/^\| ' . preg_quote($name, '/') . '(?::[^|]*)? \| ([^|]+) \| ([^|]+) \|$/m', $table, $match);
        foreach ([$output[$row], $output[$row + count(FIGURES)]] as $column => $line) {
            preg_match_all('/\d[\d,]*(?:\.\d+)?/', $found ? $match[$column + 1] : '', $written);
            $computed = array_map(floatval(...), explode(' ', $line));
            $same = count($computed) === count($written[0]);
            foreach ($same ? $computed : [] as $i => $number) {
                $same = $same && number_format($number, strlen(explode('.', $written[0][$i])[1] ?? '')) === $written[0][$i];
            }
            if (!$same) {
                $wrong[] = "\"$name\": the core computes $line";
            }
        }
    }
    return $wrong;
}

/** @return list<string> the assertions that the compiler refuses, and the figures that differ */
function refused(string $text): array
{
    $assertions = assertions($text);
    $source = tempnam(sys_get_temp_dir(), 'larder-layout');
    file_put_contents($source, "#include \"internal.h\"\n#include <stddef.h>\n" . implode("\n", $assertions) . "\n");
    $compiler = getenv('CC') ?: 'gcc';
    exec("$compiler " . FLAGS . ' -fsyntax-only ' . escapeshellarg($source) . ' 2>&1', $output, $status);
    unlink($source);
    $refused = [...array_values(preg_grep('/error:/', $output) ?: []), ...misfigured($text)];
    return $status !== 0 && $refused === [] ? $output : (count($assertions) < 100 ? [...$refused, 'only ' . count($assertions) . ' facts were found'] : $refused);
}

chdir(dirname(__DIR__));
$text = (string) file_get_contents(DOCUMENT);
if (($argv[1] ?? '') === '--control') {
    foreach (['/`LRD__LAYOUT` \d+/' => '`LRD__LAYOUT` 1', '/^(`lrd__shard`, )[\d,]+/m' => '${1}8000', '/^\| 8 (\| 4 \| layout)/m' => '| 4 $1', '/^(\| 24 \| )2( \| used)/m' => '${1}4$2', '/^(\| 256 \| 4 x )4/m' => '${1}3', '/^(\| shards \| )\d+/m' => '${1}34', '/^(\| control_size, volatile \| [\d,]+ \| )[\d,]+/m' => '${1}936,200'] as $pattern => $wrong) {
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
